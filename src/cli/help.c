/* What --help prints. An option means the same in every command that has it, and is explained once. */
#include <string.h>
#include "explain.h"
#include "percuss_version.h"
#include "usage.h"

static const struct {
  const char *option, *about;
} options[] = {
  {"--out", "the directory of the results; without it that of the config's output.directory, or out/NAME"},
  {"--set",
    "changes one key of the config (scheme.step=\"0.2 us\"), or a mapping (scheme=\"{type: moreau_jean, step: 1 us}\"); may be given many times"},
  {"--overwrite", "replaces earlier results of percuss in that directory, and nothing else there"},
  {"--resume", "goes on from the newest checkpoint of the results, with the same bytes as if the run had never stopped"},
  {"--wall-limit", "the run stops with a checkpoint once it has taken so long, such as \"8 h\"; exit code 3"},
  {"--quiet", "no progress, no summary"},
  {"--force", "steps even above the stability limit"},
  {"--report", "makes report.html among the results: a page to read and to send"},
  {"--jobs", "how many runs at a time; as many as there are cores without it"},
  {"--count", "how many modes; 10 without it. Pairs of conjugate eigenvalues count once"},
  {"--speed", "at which the rotors turn, such as \"4000 rpm\"; without it their speed in the config"},
  {"--campbell", "modes at N equally spaced speeds, such as \"0 rpm:6000 rpm:61\", followed from one to the next; critical speeds"},
  {"--speeds", "N equally spaced speeds, such as \"100 rpm:6000 rpm:60\""},
  {"--probes", "the points to tell of; without it those of output.history"},
  {"--tolerance", "the relative difference up to which runs are alike; 1e-6 without it"},
  {"--csv", "every quantity's difference as a table, into a new file"},
};

static const struct {
  const char *command, *text;
} notes[] = {
  {"run",
    "CONFIG is a YAML file, or results that are to be run again: their directory, or the run.json or config.yaml in it. Those go into a directory beside them. The same "
    "program on the same machine writes the same bytes again; what stands in the way of that is said.\n"
    "\n"
    "Ctrl-C, SIGTERM and --wall-limit end a run with a checkpoint (exit code 3); SIGUSR1 writes one, and so does the clock (output.checkpoints). With --resume it goes on: where "
    "there are no results yet the run begins, and where it is done there is nothing to do, so that one line serves a job that is started again and again.\n"
    "\n"
    "After -- follow options of PETSc; PETSC_OPTIONS in the environment and .petscrc are not used.\n"
    "\n"
    "Examples:\n"
    "  percuss run my_bar.yaml --set scheme.step=\"0.5 us\" --out out/fine\n"
    "  percuss run out/fine\n"
    "  percuss run my_bar.yaml --resume --wall-limit \"8 h\"\n"
    "  percuss run my_bar.yaml -- -ksp_type cg -pc_type jacobi"},
  {"check", "Mistakes, size, highest frequency, step limit, advice on scheme and step, output, time. Exit code 0: it would run; 2: it would not.\n"
            "\n"
            "Example:\n"
            "  percuss check my_bar.yaml"},
  {"modes", "Contacts are left out. Results: modes.csv, shapes for ParaView; campbell.csv and critical_speeds.csv.\n"
            "\n"
            "Examples:\n"
            "  percuss modes my_bar.yaml --count 5\n"
            "  percuss modes my_rotor.yaml --campbell \"0 rpm:6000 rpm:61\""},
  {"response", "Contacts are left out. Results: response.csv, amplitude and phase at each speed.\n"
               "\n"
               "Example:\n"
               "  percuss response my_rotor.yaml --speeds \"100 rpm:6000 rpm:60\""},
  {"study",
    "STUDY is a YAML file that names a config and the keys to vary (percuss explain study). Each run is a process of its own; one that fails is a row with its reason. Called again "
    "it makes what is missing.\n"
    "\n"
    "Results: study.csv, convergence.csv and bifurcation.csv where they are asked for, study.png, the runs in folders of their own.\n"
    "\n"
    "Example:\n"
    "  percuss study configs/studies/oscillator_orders.yaml --jobs 2"},
  {"compare",
    "RUN is a directory of results, also of a run that failed or was stopped. At the times that all have (or interpolated, with the error of that): how far each quantity is "
    "apart, when first by more than the tolerance, events in pairs, figures, configs; how the difference grows, and from when on the motion is chaotic. Three runs that differ "
    "by one number in equal ratios, such as steps of h, h/2 and h/4, tell the order, over time too.\n"
    "\n"
    "Exit code 0: alike within the tolerance; 1: not; 2: they cannot be compared.\n"
    "\n"
    "Examples:\n"
    "  percuss compare out/bar out/bar_2\n"
    "  percuss compare out/bar out/bar_half out/bar_quarter --csv order.csv"},
  {"explain",
    "Without a word: the keys of a config. KEY is a key by its path (contacts.restitution), a scheme, a body, or any word that a message mentions.\n"
    "\n"
    "Examples:\n"
    "  percuss explain schemes\n"
    "  percuss explain scheme.half_explicit\n"
    "  percuss explain bodies.beam.section"},
  {"schema", "Example:\n"
             "  percuss schema > percuss.schema.json, and `# yaml-language-server: $schema=percuss.schema.json` as the first line of a config"},
  {"init", "Without KIND: the kinds.\n"
           "\n"
           "Example:\n"
           "  percuss init bar > my_bar.yaml"},
  {"selftest", "Prints value, exact value, error and verdict, in a second. Exit code 1: one does not hold."},
  {"complete", "Without a line: the completion itself, for bash; it asks `percuss complete LINE` what may follow.\n"
               "\n"
               "Example, in ~/.bashrc:\n"
               "  eval \"$(percuss complete)\""},
};

const char *NsUsageAbout(const char *option)
{
  for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
    if (!strcmp(options[i].option, option)) return options[i].about;
  }
  return "";
}

void NsHelpProgram(FILE *file)
{
  fprintf(file, "percuss %s: flexible bars, beams, rotors and mechanisms that hit and rub, stepped without penalty springs\n\n", PERCUSS_VERSION);
  for (const NsCommand *command = NsCommands; command->name; command++) fprintf(file, "  percuss %-10s %s\n", command->name, command->about);
  fprintf(file, "\n"
                "percuss COMMAND --help tells its words and options; percuss --version what this is.\n"
                "Exit codes: 0 done; 1 the run failed (compare: runs differ); 2 the input is wrong; 3 stopped by a signal.\n"
                "Start here:  percuss init bar > my_bar.yaml && percuss run my_bar.yaml\n");
}

/* Paragraphs, wrapped; lines that begin with a blank stay as they are. */
static void print_note(const char *text, FILE *file)
{
  fputc('\n', file);
  while (*text) {
    const size_t length = strcspn(text, "\n");
    char         line[2048];

    (void)snprintf(line, sizeof(line), "%.*s", (int)length, text);
    if (*line == ' ' || !*line)
      fprintf(file, "%s\n", line);
    else
      NsExplainWrap(file, 0, line);
    text += length + (text[length] == '\n');
  }
}

/* Bytes up to a blank that is in no brackets. */
static int group_length(const char *text)
{
  int depth = 0, length = 0;

  for (; text[length] && (depth || text[length] != ' '); length++) depth += text[length] == '[' ? 1 : text[length] == ']' ? -1 : 0;
  return length;
}

static void print_usage(const NsCommand *command, FILE *file)
{
  const int at = (int)strlen("percuss  ") + (int)strlen(command->name);
  int       x  = at - 1;

  fprintf(file, "percuss %s", command->name);
  for (const char *p = command->arguments; *p; p += *p == ' ') {
    const int length = group_length(p);

    if (x > at && x + 1 + length > NS_EXPLAIN_WIDTH) {
      fprintf(file, "\n%*s", at - 1, "");
      x = at - 1;
    }
    fprintf(file, " %.*s", length, p);
    x += 1 + length;
    p += length;
  }
  fprintf(file, "\n  %s\n", command->about);
}

void NsHelpCommand(const NsCommand *command, FILE *file)
{
  enum { INDENT = 26 };
  NsUsageWord word[NS_USAGE_WORDS];
  const int   words = NsUsageRead(command, word);
  bool        any   = false;

  print_usage(command, file);
  for (int i = 0; i < words; i++) {
    if (!NsUsageIsOption(&word[i])) continue;
    if (!any) fputc('\n', file);
    any = true;
    fprintf(file, "  %s %-*s", word[i].name, INDENT - 3 - (int)strlen(word[i].name), word[i].value);
    NsExplainWrap(file, INDENT, NsUsageAbout(word[i].name));
  }
  for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
    if (!strcmp(notes[i].command, command->name)) print_note(notes[i].text, file);
  }
}
