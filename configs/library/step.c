/* An example of the C interface: a bar flies against a wall, and a controller pushes at its free end while it touches.

     cc step.c $(pkg-config --cflags --libs percuss) -o step && ./step pushed_bar.yaml
*/
#include <percuss/percuss.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  percuss         *run;
  percuss_contact  wall;
  percuss_energies energy;
  double           end;
  int              code = percuss_open(argc > 1 ? argv[1] : "pushed_bar.yaml", 0, NULL, &run);

  if (code) fprintf(stderr, "%s", percuss_messages(run));
  while (!code && !percuss_is_at_end(run)) {
    code = percuss_contact_report(run, 0, &wall);
    if (!code) code = percuss_set_input(run, 0, wall.state ? 1.0 : 0.0); /* the load is 100 N times this */
    if (!code) code = percuss_step(run, 100);
    if (!code) code = percuss_probe(run, "bar.right.vx", &end);
    if (!code) printf("%8.2f us  %8.4f mm/s  %s\n", 1e6 * percuss_time(run), 1e3 * end, wall.state ? "closed" : "open");
  }
  if (!code) code = percuss_energy(run, &energy);
  if (!code) printf("external work %.6g J, numerical energy error %.2g J\n", energy.load, energy.numerical);
  percuss_close(run);
  return code;
}
