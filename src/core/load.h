/*
  Whole files of the user, such as meshes and matrices.
*/
#pragma once
#include <stddef.h>

/* The whole file with a NUL behind it that is not counted in *size, to be freed; NULL with the reason. Refuses folders and devices. */
char *NsFileLoad(const char *path, size_t *size, const char **reason);
