/* Every command of the program: one file, one line. */
NS_COMMAND(run, Run,
  "CONFIG [--out DIR] [--set KEY=VALUE]... [--overwrite] [--resume] [--wall-limit TIME] [--quiet] [--force] [--report] [-- PETSc options]",
  "run a config and write its results")
NS_COMMAND(check, Check, "CONFIG [--set KEY=VALUE]... [-- PETSc options]", "do everything short of stepping; say what a run would do")
NS_COMMAND(modes, Modes, "CONFIG [--count N] [--speed SPEED] [--campbell FROM:TO:N] [--out DIR] [--set KEY=VALUE]... [--overwrite]",
  "eigenfrequencies, damping and mode shapes; Campbell diagram and critical speeds")
NS_COMMAND(response, Response, "CONFIG --speeds FROM:TO:N [--probes NAME,NAME...] [--out DIR] [--set KEY=VALUE]... [--overwrite]",
  "vibration of rotors from unbalance, over speed")
NS_COMMAND(study, Study, "STUDY [--jobs N] [--out DIR] [--overwrite] [--quiet] [--force]",
  "many runs over values of keys: table, orders, bifurcations, figure")
NS_COMMAND(
  compare, Compare, "RUN RUN [RUN] [--tolerance NUMBER] [--csv FILE]", "how far results are apart, from when on, and what that says of their steps")
NS_COMMAND(explain, Explain, "[KEY | schemes | study]", "what a key, a scheme or a body means")
NS_COMMAND(schema, Schema, "[study]", "JSON Schema of the config, or of study files, for editors")
NS_COMMAND(init, Init, "[KIND]", "print a commented config to start from")
NS_COMMAND(selftest, Selftest, "", "step models whose answer is known, and compare")
NS_COMMAND(complete, Complete, "[LINE]", "completion for bash, and what it asks")
