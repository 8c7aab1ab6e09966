/*
  Terms of rotor dynamics, and class names and arguments of ROSS, with what they are called in percuss: for errors about unknown keys and for `percuss explain`.

  To add one: a line in trade.c. tests/unit/test_explain.c checks that every page named there exists, and that no term is a key itself.
*/
#pragma once

typedef struct {
  const char *words; /* "journal bearing|plain bearing": compared without case, blanks, '_', '-' and a plural's s */
  const char *page;  /* of `percuss explain`; NULL: none */
  const char *text;  /* what to write */
} NsTradeTerm;

/* All of them, ending with words NULL. */
extern const NsTradeTerm NsTradeTerms[];
/* The term that is this word; NULL: there is none. */
const NsTradeTerm *NsTradeFind(const char *word);
