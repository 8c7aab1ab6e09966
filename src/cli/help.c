/*
  `percuss --help`, `percuss COMMAND --help` and the manual page (`percuss --man`), made from the tables of the commands.
*/
#include "command.h"
#include "explain.h"
#include "percuss_version.h"
#include <string.h>

static const NsOption *options_of(const NsCommand *command)
{
  static const NsOption none[] = {{NULL}};

  return command->options ? command->options : none;
}

void NsHelpProgram(FILE *file)
{
  fprintf(file, "percuss %s: simulate flexible bars, beams, rotors and mechanisms with impact and dry friction\n\n", PERCUSS_VERSION);
  for (const NsCommand *const *command = NsCommands; *command; command++) fprintf(file, "  percuss %-10s %s\n", (*command)->name, (*command)->about);
  fprintf(file, "\n"
                "percuss COMMAND --help lists arguments and options; percuss --version prints the version, percuss --man the manual page.\n"
                "Exit codes: 0 done; 1 the run failed (compare: runs differ); 2 the input is wrong; 3 stopped by a signal.\n"
                "To start:  percuss init bar > my_bar.yaml && percuss run my_bar.yaml\n");
}

/* Each paragraph wrapped; lines that begin with a blank stay as they are. */
static void print_text(const char *text, FILE *file)
{
  while (*text) {
    const size_t length = strcspn(text, "\n");
    char         line[2048];

    (void)snprintf(line, sizeof(line), "%.*s", (int)length, text);
    NsExplainWrap(file, 0, line);
    text += length + (text[length] == '\n');
  }
}

/* Appends a part of the usage, on a new line if this one is full. */
static void print_part(FILE *file, int indent, int *x, const char *part)
{
  const int length = (int)strlen(part);

  if (*x > indent && *x + 1 + length > NS_EXPLAIN_WIDTH) {
    fprintf(file, "\n%*s", indent, "");
    *x = indent;
  }
  fprintf(file, " %s", part);
  *x += 1 + length;
}

static void print_usage(const NsCommand *command, FILE *file)
{
  const int indent = fprintf(file, "percuss %s", command->name);
  int       x      = indent;
  char      part[128];

  if (*command->words) print_part(file, indent, &x, command->words);
  for (const NsOption *option = options_of(command); option->name; option++) {
    (void)snprintf(part, sizeof(part), "%s%s%s%s%s%s", option->required ? "" : "[", option->name, option->takes ? " " : "",
      option->takes ? option->takes : "", option->required ? "" : "]", option->repeats ? "..." : "");
    print_part(file, indent, &x, part);
  }
  if (command->petsc) print_part(file, indent, &x, "[-- PETSc options]");
  fprintf(file, "\n  %s\n", command->about);
}

void NsHelpCommand(const NsCommand *command, FILE *file)
{
  enum { INDENT = 26 };
  const NsOption *options = options_of(command);

  print_usage(command, file);
  if (options->name) fputc('\n', file);
  for (const NsOption *option = options; option->name; option++) {
    fprintf(file, "  %s %-*s", option->name, INDENT - 3 - (int)strlen(option->name), option->takes ? option->takes : "");
    NsExplainWrap(file, INDENT, option->about);
  }
  if (command->description) {
    fputc('\n', file);
    print_text(command->description, file);
  }
  if (command->examples) fprintf(file, "\nExample%s:\n", strchr(command->examples, '\n') ? "s" : "");
  for (const char *example = command->examples; example && *example; example += strcspn(example, "\n"), example += *example == '\n')
    fprintf(file, "  percuss %.*s\n", (int)strcspn(example, "\n"), example);
}

void NsHelpShort(const NsCommand *command, FILE *file)
{
  const bool options = options_of(command)->name != NULL;

  fprintf(file, "  usage: percuss %s%s%s%s\n", command->name, *command->words ? " " : "", command->words, options ? " [OPTION]..." : "");
  fprintf(file, "  percuss %s --help lists arguments and options\n", command->name);
}

/* The manual page --------------------------------------------------------------------------------------------------------------------------------------- */

static const char manual_begin[] =
  ".SH DESCRIPTION\n"
  "Simulates bars, trusses, beams, rotors and mechanisms with unilateral contact, impact and dry friction, without penalty springs.\n"
  "A model is a YAML file, the config; results are tables (CSV) and frames for ParaView (VTK).\n";

static const char manual_end[] =
  ".TP\n.B \\-\\-\nwhat follows are options of PETSc, such as\n.BR \"\\-ksp_type cg \\-pc_type jacobi\" .\n"
  ".TP\n.BR \\-\\-help \", \" \\-h\nprint the arguments and options of the program or of a command.\n"
  ".TP\n.B \\-\\-version\nprint version, commit, compiler and build type.\n"
  ".TP\n.B \\-\\-man\nprint this manual page, as source text for man or groff.\n"
  ".SH EXIT STATUS\n"
  ".TP\n.B 0\ndone\n"
  ".TP\n.B 1\nthe run failed: it diverged, or a file could not be written;\n.BR compare :\nthe runs differ by more than the tolerance;\n.BR selftest :\na check failed\n"
  ".TP\n.B 2\nthe input is wrong;\n.BR compare :\nthe runs cannot be compared\n"
  ".TP\n.B 3\nstopped by SIGINT, SIGTERM or the wall limit, after a step and with a checkpoint; a second SIGINT ends the program at once\n"
  ".SH ENVIRONMENT\n"
  ".TP\n.B NO_COLOR\nif set, messages have no colours\n"
  ".TP\n.BR PETSC_OPTIONS \", \" PETSC_OPTIONS_YAML\nare not used, nor is .petscrc: a run depends on its config and its command line alone\n"
  ".SH FILES\n"
  ".TP\n.I percuss.files\nnames of the files that percuss wrote; \\-\\-overwrite removes no others\n"
  ".TP\n.I run.json\nversions, options, figures and how the run ended\n"
  ".TP\n.I config.yaml\nthe config as run; it can be run again\n"
  ".TP\n.IR NAME.vtk.series \", \" NAME_contacts.vtk.series \", \" NAME_planes.vtk.series\nframes, to be opened in ParaView\n"
  ".TP\n.I view.py\na scene of the run for ParaView (pvpython), or for python3 with VTK (\\-\\-png FILE)\n"
  ".TP\n.I report.html\na page on the run (\\-\\-report, or afterwards postprocess/report.py DIR)\n"
  ".TP\n.IR history.csv \", \" contacts.csv \", \" events.csv \", \" energy.csv \", \" orbits.csv \", \" poincare.csv\n"
  "tables over time in s, all in SI units\n"
  ".TP\n.IR modes.csv \", \" campbell.csv \", \" critical_speeds.csv \", \" response.csv\n"
  "tables of modes and responses; NAME_mode_01.vtk.series and so on animate the mode shapes. Drawn by postprocess/campbell.py and postprocess/response.py\n";

/* Text for groff: a hyphen that is to be copied needs a backslash, and so does a backslash; a point at the beginning of a line would be a request. */
static void put_roff(FILE *file, const char *text, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n')) fputs("\\&", file);
    if (text[i] == '\'')
      fputs("\\(aq", file);
    else if (text[i] == '\\')
      fputs("\\e", file);
    else if (text[i] == '-')
      fputs("\\-", file);
    else if (text[i] == '\n' && i + 1 < size && text[i + 1] == '\n')
      fputs("\n.sp", file);
    else
      fputc(text[i], file);
  }
}

/* NULL: a text that is missing, which the test `commands` names. */
static void put_text(FILE *file, const char *text)
{
  if (text) put_roff(file, text, strlen(text));
}

static void put_option(FILE *file, const NsOption *option)
{
  fputs("\\fB", file);
  put_text(file, option->name);
  fputs("\\fR", file);
  if (!option->takes) return;
  fputs(" \\fI", file);
  put_text(file, option->takes);
  fputs("\\fR", file);
}

static void put_synopsis(FILE *file, const NsCommand *command)
{
  fprintf(file, ".B percuss %s\n", command->name);
  if (*command->words) fprintf(file, "\\fI%s\\fR\n", command->words);
  for (const NsOption *option = options_of(command); option->name; option++) {
    if (!option->required) fputc('[', file);
    put_option(file, option);
    fprintf(file, "%s%s\n", option->required ? "" : "]", option->repeats ? "..." : "");
  }
  if (command->petsc) fputs("[\\fB\\-\\-\\fR \\fIPETSc options\\fR]\n", file);
  fputs(".br\n", file);
}

/* Whether an earlier command has this option. */
static bool is_described(const NsCommand *const *end, const char *name)
{
  for (const NsCommand *const *command = NsCommands; command < end; command++) {
    for (const NsOption *option = options_of(*command); option->name; option++) {
      if (!strcmp(option->name, name)) return true;
    }
  }
  return false;
}

void NsHelpManual(FILE *file)
{
  fprintf(file,
    ".TH PERCUSS 1 \"\" \"percuss %s\" \"User commands\"\n.SH NAME\npercuss \\- nonsmooth dynamics of flexible structures, rotors and mechanisms\n.SH SYNOPSIS\n",
    PERCUSS_VERSION);
  for (const NsCommand *const *command = NsCommands; *command; command++) put_synopsis(file, *command);
  fputs(".B percuss \\-\\-version\n|\n.B \\-\\-man\n|\n.B \\-\\-help\n|\n.I COMMAND\n.B \\-\\-help\n", file);
  fputs(manual_begin, file);
  for (const NsCommand *const *command = NsCommands; *command; command++) {
    fprintf(file, ".TP\n.B %s\n", (*command)->name);
    put_text(file, (*command)->about);
    fputs(".\n", file);
    if (!(*command)->description) continue;
    fputs(".sp\n", file);
    put_text(file, (*command)->description);
    fputc('\n', file);
  }
  fputs(".SH OPTIONS\n", file);
  for (const NsCommand *const *command = NsCommands; *command; command++) {
    for (const NsOption *option = options_of(*command); option->name; option++) {
      if (is_described(command, option->name)) continue;
      fputs(".TP\n", file);
      put_option(file, option);
      fputc('\n', file);
      put_text(file, option->about);
      fputs(".\n", file);
    }
  }
  fputs(manual_end, file);
  fputs(".SH EXAMPLES\n.nf\n", file);
  for (const NsCommand *const *command = NsCommands; *command; command++) {
    for (const char *example = (*command)->examples; example && *example; example += strcspn(example, "\n"), example += *example == '\n') {
      fputs("percuss ", file);
      put_roff(file, example, strcspn(example, "\n"));
      fputc('\n', file);
    }
  }
  fputs(".fi\n", file);
}
