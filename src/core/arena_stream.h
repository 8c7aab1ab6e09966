/*
  printf into the arena, of a text whose length is not known:

      NsArenaStream stream;
      NsTreeWrite(tree, NsArenaStreamOpen(&stream, arena));
      text = NsArenaStreamClose(&stream, &size);

  open_memstream does the same, but truncates the text silently when memory runs out; here the program ends (core/out_of_memory.h).
*/
#pragma once
#include <stdio.h>
#include "percuss/arena.h"

typedef struct {
  NsArena *arena;
  FILE    *file;
  char    *bytes;
  size_t   used, capacity;
} NsArenaStream;

/* Never NULL. */
FILE *NsArenaStreamOpen(NsArenaStream *stream, NsArena *arena);
/* What was written, terminated; size may be NULL. */
char *NsArenaStreamClose(NsArenaStream *stream, size_t *size);
