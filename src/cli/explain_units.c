/* `percuss explain units`: the units of a config, from the table that reads them. */
#include "cli/explain.h"
#include "percuss/units.h"
#include <string.h>

void NsExplainUnits(FILE *out)
{
  NsUnitSymbol symbol;
  const char  *name, *unit;

  fputs(
    "units\n\n"
    "  A value is a number and its unit, separated by a blank: 210 GPa, 0.2 us, 3000 rpm, 10 N*s/m, 1e-3 kg*m^2. A number without unit is in SI. Units are\n"
    "  multiplied with * or a blank, divided with /, and raised with ^: kg*m^2, N s/m, 1/s. Factors are taken from left to right: N/m s is N/m*s.\n"
    "\n"
    "  symbol  prefixes     quantity                 value in SI\n\n",
    out);
  for (int i = 0; NsUnitSymbolAt(i, &symbol); i++) {
    fprintf(out, "  %-6s ", symbol.name);
    for (const char *p = symbol.prefixes; *p; p++) fprintf(out, " %c", *p);
    fprintf(out, "%*s  %-24s %.10g", 12 - 2 * (int)strlen(symbol.prefixes), "", NsDimensionName(symbol.dimension), symbol.factor);
    unit = NsDimensionUnit(symbol.dimension);
    fprintf(out, "%s%s\n", *unit ? " " : "", unit);
  }
  fputs(
    "\n  Prefixes: n 1e-9, u 1e-6 (also \302\265), m 1e-3, c 1e-2, k 1e3, M 1e6, G 1e9; only those listed are accepted (mPa is refused: MPa is meant).\n"
    "  Angles, angular velocities and frequencies need a unit, unless they are 0: 30 deg or 0.52 rad; 50 Hz = 3000 rpm = 314.159 rad/s. 1/s means rad/s.\n"
    "\n"
    "  quantity                            unit in SI\n\n",
    out);
  for (int i = 0; NsUnitQuantityAt(i, &name, &unit); i++) fprintf(out, "  %-34s  %s\n", name, *unit ? unit : "-");
}

bool NsExplainUnit(const char *word, FILE *out)
{
  char        text[64];
  NsDimension dimension;
  double      value;

  if (snprintf(text, sizeof(text), "1 %s", word) >= (int)sizeof(text) || !NsParseAnyQuantity(text, &dimension, &value) || !strcmp(word, "1"))
    return false;
  const char *unit = NsDimensionUnit(dimension);
  fprintf(out, "%s\n\n  %s: 1 %s = %.10g%s%s\n  percuss explain units lists all units\n", word, NsDimensionName(dimension), word, value,
    *unit ? " " : "", unit);
  return true;
}
