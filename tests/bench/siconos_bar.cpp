/*
  The elastic bar of configs/elastic_bar.yaml, as Siconos steps it (its kernel library, version 4): what percuss is measured against. tests/bench/speed.py compiles it
  where Siconos is installed (Debian: libsiconos-kernel-dev, libsiconos-numerics-dev) and calls it.

      siconos_bar half_explicit|moreau_jean ELEMENTS STEPS GAP STEP [physics]

  C++ and not its Python module, so that nothing but the library's own loop is timed. N elements and N + 1 nodes, matrices sparse as in the library's own example of a bar.

    half_explicit   D1MinusLinearOSI(halfexplicit_velocity_level) in TimeSteppingD1Minus
    moreau_jean     MoreauJeanOSI(theta = 1/2) in TimeStepping

  Prints us, processor time of a step of the loop without set-up, output and the first WARM steps, which still set things up; with the word physics also duration (s: steps with the contact node at rest), impulse (N s: change
  of the bar's momentum) and loss (share of the energy).
*/
#include <SiconosKernel.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr long WARM = 5;

constexpr double section = 3.14159265358979e-4, density = 7800, young = 2.1e11, approach = 0.1; // m^2, kg/m^3, Pa, m/s

double processor_seconds()
{
  timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

SP::SimpleMatrix chain(unsigned nodes, double diagonal, double off)
{
  auto A = std::make_shared<SimpleMatrix>(nodes, nodes, Siconos::SPARSE, 3 * nodes);

  for (unsigned i = 0; i < nodes; i++) {
    A->setValue(i, i, i == 0 || i + 1 == nodes ? diagonal / 2 : diagonal);
    if (i > 0) A->setValue(i, i - 1, off);
    if (i + 1 < nodes) A->setValue(i, i + 1, off);
  }
  return A;
}

struct Matrices {
  double m, k; // rho S le/6, E S/le

  double momentum(const SiconosVector &v) const
  {
    const unsigned n   = v.size();
    double         sum = 0;

    for (unsigned i = 0; i < n; i++) sum += (i == 0 || i + 1 == n ? 3 : 6) * m * v(i);
    return sum;
  }
  double energy(const SiconosVector &q, const SiconosVector &v) const
  {
    double sum = 0;

    for (unsigned i = 0; i + 1 < v.size(); i++)
      sum += m * (v(i) * v(i) + v(i) * v(i + 1) + v(i + 1) * v(i + 1)) + k / 2 * (q(i + 1) - q(i)) * (q(i + 1) - q(i));
    return sum;
  }
};

SP::Simulation simulation(bool half_explicit, SP::NonSmoothDynamicalSystem system, SP::TimeDiscretisation times)
{
  if (half_explicit) {
    auto s = std::make_shared<TimeSteppingD1Minus>(system, times, 2);
    s->insertIntegrator(std::make_shared<D1MinusLinearOSI>(D1MinusLinearOSI::halfexplicit_velocity_level));
    s->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_TS_VELOCITY);
    s->insertNonSmoothProblem(std::make_shared<LCP>(), SICONOS_OSNSP_TS_VELOCITY + 1);
    return s;
  }
  return std::make_shared<TimeStepping>(system, times, std::make_shared<MoreauJeanOSI>(0.5), std::make_shared<LCP>());
}

} // namespace

int main(int argc, char **argv)
{
  if (argc < 6 || atol(argv[3]) <= WARM) return 2;
  const bool     half_explicit = !strcmp(argv[1], "half_explicit"), physics = argc > 6;
  const unsigned nodes = unsigned(atoi(argv[2])) + 1;
  const long     steps = atol(argv[3]);
  const double   gap = atof(argv[4]), dt = atof(argv[5]), length = 1.0 / (nodes - 1);
  const Matrices each = {density * section * length / 6, young * section / length};

  auto q0 = std::make_shared<SiconosVector>(nodes, gap), v0 = std::make_shared<SiconosVector>(nodes, -approach);
  auto bar = std::make_shared<LagrangianLinearTIDS>(q0, v0, chain(nodes, 4 * each.m, each.m));
  bar->setKPtr(chain(nodes, 2 * each.k, -each.k));
  auto row = std::make_shared<SimpleMatrix>(1, nodes);
  row->setValue(0, 0, 1);
  auto contact = std::make_shared<Interaction>(std::make_shared<NewtonImpactNSL>(0.0), std::make_shared<LagrangianLinearTIR>(row));
  auto system  = std::make_shared<NonSmoothDynamicalSystem>(0, (double(steps) + 10) * dt);
  system->insertDynamicalSystem(bar);
  system->link(contact, bar);
  auto s = simulation(half_explicit, system, std::make_shared<TimeDiscretisation>(0, dt));

  const double momentum = each.momentum(*bar->velocity()), energy = each.energy(*bar->q(), *bar->velocity());
  long         resting = 0;
  double       seconds = 0;
  for (long step = 0; step < steps && s->hasNextEvent(); step++) {
    const double start = physics ? 0 : processor_seconds();
    s->advanceToEvent();
    s->processEvents();
    if (!physics && step >= WARM) seconds += processor_seconds() - start;
    if (physics && std::abs((*bar->velocity())(0)) < 1e-6 * approach) resting++;
  }
  printf("{\"us\": %.6g, \"duration\": %.9g, \"impulse\": %.9g, \"loss\": %.9g}\n", 1e6 * seconds / double(steps - WARM), double(resting) * dt,
    each.momentum(*bar->velocity()) - momentum, 1 - each.energy(*bar->q(), *bar->velocity()) / energy);
  return 0;
}
