/*
  What the tree's reader shares with --set.
*/
#pragma once
#include "percuss/tree.h"
#include <yaml.h>

/* A file of the user's has at most MAX_BYTES. Written back it may have more, for indentation and escapes: 100000 values of 64 levels with MAX_TEXT bytes of keys and scalars, which --set may
   add to, have less than MAX_OWN. */
enum {
  NS_TREE_MAX_BYTES = 1 << 20,
  NS_TREE_MAX_TEXT  = 1 << 21,
  NS_TREE_MAX_OWN   = 1 << 25,
  NS_TREE_MAX_NODES = 100000,
  NS_TREE_MAX_DEPTH = 64,
  NS_TREE_MAX_KEY   = 200
};

/* Whether all bytes are valid in YAML; libyaml would report such bytes without line and column. */
bool NsTreeCheckText(const NsSource *source, size_t most, NsDiag *diag);
/* As NsTreeReadFile, for a file that a config names at this place. */
NsNode *NsTreeReadNamed(const char *path, NsPlace place, NsArena *arena, NsDiag *diag);
/* The source from this byte on, as a tree that will hang at this depth. NULL when errors were reported. */
NsNode *NsTreeBuild(const NsSource *source, size_t offset, int base, NsArena *arena, NsDiag *diag);
/* libyaml's complaint in plain words; shift: columns of the first line before the parsed text; bracket: the innermost open one or NULL. */
void NsTreeSyntaxError(const yaml_parser_t *parser, const NsSource *source, int shift, const NsPlace *bracket, NsDiag *diag);
/* What `value` says becomes the node's own: kind, text and a copy of the children, for values set later may change what is within. Its key and places stay. */
void NsTreeCopy(NsNode *node, const NsNode *value, NsArena *arena);
/* Puts parameters into a copy, with its numbers $i, $j, $k (from 1). */
typedef void (*NsTreeSubstituteCopy)(void *context, const int *number, int numbers, NsNode *copy);
/* Makes the copies of `copies:` (tree_copies.c), whose own values have been substituted. False: errors were reported. */
bool NsTreeExpand(NsNode *root, const NsTable *top, NsTreeSubstituteCopy substitute, void *context, NsArena *arena, NsDiag *diag);
/* Adds copies of what the other map has and this one has not; deep: also within mappings that both have. Returns how many values; -1: the maps are too large. */
int NsTreeFill(NsNode *map, const NsNode *other, bool deep, NsArena *arena);
