/* What the elimination works on, for its two files: elimination_pattern.c makes the pattern, elimination.c has the numbers. */
#pragma once
#include "elimination.h"

/* A number of G, the sum of its products. */
typedef struct {
  PetscInt to, product; /* index in G; its products are those from this one up to the first one of the next entry */
} Entry;

/* A product u_r C p_s: entries of W_u and W_P at the same unknown. */
typedef struct {
  PetscInt u, p;
} Product;

typedef struct {
  PetscInt first, rows;          /* in the order of elimination */
  PetscInt width, later, laters; /* rows of its panels; its first later node */
  PetscInt diagonal, panel;      /* indices in `value`; panel: of U, with that of L' `panels` numbers after it */
  PetscInt update;               /* its first update */
} Node;

/* Rows of a later node within the panels of another. */
typedef struct {
  PetscInt node, offset;
} Later;

/* Lists that grow with the pattern. */
enum { ROOM_FIRST, ROOM_TOUCH, ROOM_ROWS, ROOM_NODES, ROOM_LATER, ROOM_COLUMN, ROOM_UPDATE, ROOM_ENTRY, ROOM_PRODUCT, ROOM_VALUE, ROOMS };

struct NsElimination {
  PetscInt   rows, nodes, entries[2]; /* of W_u, W_P */
  PetscInt  *first, *touch;           /* the pattern: first of both, then touch of both */
  PetscInt  *place;                   /* [rows] in the order of elimination */
  PetscInt  *island;                  /* [rows] */
  PetscInt   islands, most;
  Node      *node; /* [nodes] in order */
  Later     *later;
  PetscInt  *column; /* rows of the panels, by place: those of node k from start[k] on */
  PetscInt  *start;  /* [nodes] of column */
  PetscInt  *update; /* indices in `value` to which the products of two later nodes are added */
  Entry     *entry;  /* [numbers + 1]: diagonals and U first, then L' */
  Product   *product;
  PetscInt   numbers, upper, diagonals, panels; /* upper: entries of diagonals and U; diagonals, panels: numbers of value */
  PetscReal *G, *value;                         /* [diagonals + 2 panels] */
  PetscReal *scaled;                            /* [entries of W_P] C W_P */
  PetscReal *x, *w, *inverse;                   /* [rows] by place; 1/diagonal */
  PetscBool  symmetric, fits;                   /* fits: the elimination is worth it for this pattern, which is analysed */
  PetscInt   room[ROOMS];
};

/* Analyses the pattern of these rows and makes room for their numbers, if the last rows had another pattern. */
PetscErrorCode NsEliminationAnalyse(NsElimination *elimination, PetscInt touches, const NsRows *wu, const NsRows *wp);
