/* Anchors ('&name'), aliases ('*name') and merge keys ('<<') while a tree is being built: copies, so that nothing behind the reader has to know of them. */
#pragma once
#include "core/tree_internal.h"

typedef struct NsAnchor NsAnchor;

extern const char NsMergeKey[]; /* "<<" without quotes: a key that is this very text */

/* The node can be called by this name from now on, also where the name was another's. */
void NsAnchorAdd(NsAnchor **list, const char *name, NsNode *node, NsArena *arena);
/* Fills the node, which stands at the alias, with a copy of what the name stands for: at most `most` values, `depth` levels deep. Returns how many; after an error -1, or -2 where it is too much. */
int NsAliasCopy(const NsAnchor *list, const char *name, NsNode *node, int most, int depth, NsArena *arena, NsDiag *diag);
/* Puts what the merge keys of a finished map bring in their place; its own keys win, then those named first. Returns how many values that are; -1: an error was reported. */
int NsTreeMerge(NsNode *map, int most, NsArena *arena, NsDiag *diag);
