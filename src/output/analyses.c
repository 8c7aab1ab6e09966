#include "analyses.h"
#include <stddef.h>

static const NsColumn modes_columns[] = {
  {"mode", "", "number of the mode, from 1", offsetof(NsModesRow, mode)},
  {"re", "1/s", "real part of the eigenvalue", offsetof(NsModesRow, re)},
  {"im", "rad/s", "imaginary part of the eigenvalue: the damped angular frequency", offsetof(NsModesRow, im)},
  {"frequency_hz", "Hz", "damped frequency", offsetof(NsModesRow, hertz)},
  {"undamped", "rad/s", "magnitude of the eigenvalue: the undamped angular frequency", offsetof(NsModesRow, undamped)},
  {"damping_ratio", "", "damping ratio", offsetof(NsModesRow, damping_ratio)},
  {"log_decrement", "", "logarithmic decrement of a vibration", offsetof(NsModesRow, log_decrement)},
  {"kappa", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsModesRow, kappa)},
  {"whirl", NULL, "forward, backward, planar, mixed, torsion, axial, or - without whirl", offsetof(NsModesRow, whirl)},
  {"kind", NULL, "rigid, vibration or overdamped", offsetof(NsModesRow, kind)},
  {"unstable", "", "1: the mode grows", offsetof(NsModesRow, unstable)},
  {"residual", "", "relative residual of the eigenvalue problem", offsetof(NsModesRow, residual)},
  {NULL},
};
const NsCsvType NsCsvType_Modes = {"modes.csv", "a row for each mode", NS_CSV_ANALYSIS, modes_columns};

static const NsColumn campbell_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsCampbellRow, speed)},
  {"frequency", "rad/s", "damped angular frequency of the mode", offsetof(NsCampbellMode, frequency)},
  {"re", "1/s", "real part of its eigenvalue", offsetof(NsCampbellMode, re)},
  {"damping_ratio", "", "damping ratio", offsetof(NsCampbellMode, damping_ratio)},
  {"whirl", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsCampbellMode, kappa)},
  {NULL},
};
const NsCsvType NsCsvType_Campbell = {"campbell.csv", "a row for each speed, four columns for each mode", NS_CSV_ANALYSIS, campbell_columns, "mode",
  offsetof(NsCampbellRow, mode), sizeof(NsCampbellMode)};

static const NsColumn critical_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsCriticalRow, speed)},
  {"event", NULL, "critical (the frequency of the mode equals the speed) or unstable (above this speed the mode grows)",
    offsetof(NsCriticalRow, event)},
  {"mode", "", "number of the mode in campbell.csv", offsetof(NsCriticalRow, mode)},
  {"frequency", "rad/s", "damped angular frequency of the mode", offsetof(NsCriticalRow, frequency)},
  {"damping_ratio", "", "damping ratio", offsetof(NsCriticalRow, damping_ratio)},
  {"kappa", "", "sense of whirl: 1 forward circle, -1 backward circle, 0 straight line", offsetof(NsCriticalRow, kappa)},
  {"whirl", NULL, "forward, backward, planar, mixed, torsion, axial, or - without whirl", offsetof(NsCriticalRow, whirl)},
  {NULL},
};
const NsCsvType NsCsvType_CriticalSpeeds = {"critical_speeds.csv",
  "a row for each crossing of a mode's frequency with the speed, and for each onset of instability", NS_CSV_ANALYSIS, critical_columns};

static const NsColumn response_columns[] = {
  {"speed", "rad/s", "speed of rotation", offsetof(NsResponseRow, speed)},
  {"amplitude", NS_UNIT_OF_PROBE, "zero to peak", offsetof(NsResponseValue, amplitude), .needs = NS_RESPONSE_AMPLITUDE},
  {"phase", "rad", "u(t) = amplitude cos(speed t + phase)", offsetof(NsResponseValue, phase), .needs = NS_RESPONSE_AMPLITUDE},
  {"major", "m", "semi-major axis of the orbit", offsetof(NsResponseValue, major), .needs = NS_RESPONSE_ORBIT},
  {"minor", "m", "semi-minor axis; negative: backward whirl", offsetof(NsResponseValue, minor), .needs = NS_RESPONSE_ORBIT},
  {NULL},
};
const NsCsvType NsCsvType_Response = {
  "response.csv", "a row for each speed", NS_CSV_ANALYSIS, response_columns, "probe", offsetof(NsResponseRow, value), sizeof(NsResponseValue)};

static const NsColumn orbit_columns[] = {
  {"time", "s", "time, from the beginning of the forcing", offsetof(NsOrbitRow, time)},
  {"value", NS_UNIT_OF_PROBE, "value of the probe", 0},
  {NULL},
};
const NsCsvType NsCsvType_Orbit = {
  "orbit.csv", "a row for each moment of the orbit", NS_CSV_ANALYSIS, orbit_columns, "probe", offsetof(NsOrbitRow, value), sizeof(PetscReal)};

static const NsColumn orbit_event_columns[] = {
  {"time", "s", "time, from the beginning of the forcing", offsetof(NsOrbitEventRow, time)},
  {"phase", "rad", "phase of the forcing", offsetof(NsOrbitEventRow, phase)},
  {"event", NULL, "closes, opens, slips or stops", offsetof(NsOrbitEventRow, event)},
  {"contact", NULL, "name of the contact", offsetof(NsOrbitEventRow, contact)},
  {"velocity_before", "m/s", "normal relative velocity before the event", offsetof(NsOrbitEventRow, before)},
  {"velocity_after", "m/s", "and after it", offsetof(NsOrbitEventRow, after)},
  {NULL},
};
const NsCsvType NsCsvType_OrbitEvents = {"orbit_events.csv", "a row for each event of the orbit", NS_CSV_ANALYSIS, orbit_event_columns};

static const NsColumn orbit_state_columns[] = {
  {"coordinate", NULL, "degree of freedom", offsetof(NsOrbitStateRow, coordinate)},
  {"position", NS_UNIT_UNKNOWN, "its value, m or rad", offsetof(NsOrbitStateRow, position)},
  {"velocity", NS_UNIT_UNKNOWN, "its rate, m/s or rad/s", offsetof(NsOrbitStateRow, velocity)},
  {NULL},
};
const NsCsvType NsCsvType_OrbitState = {"orbit_state.csv",
  "a row for each degree of freedom: the state of the last orbit at the beginning of the forcing, from which `start: {from: ...}` starts",
  NS_CSV_ANALYSIS, orbit_state_columns};

static const NsColumn branch_columns[] = {
  {"point", "", "number of the point, from 1", offsetof(NsBranchRow, point)},
  {"branch", "", "number of the branch, from 1", offsetof(NsBranchRow, branch)},
  {"arc", "", "arc length from the first point, in scaled variables", offsetof(NsBranchRow, arc)},
  {"parameter", NS_UNIT_UNKNOWN, "the key that is varied, in the unit of its range", offsetof(NsBranchRow, parameter)},
  {"period", "s", "period of the orbit", offsetof(NsBranchRow, period)},
  {"stable", "", "1: all multipliers are within the unit circle", offsetof(NsBranchRow, stable)},
  {"modulus", "", "largest modulus of a multiplier", offsetof(NsBranchRow, modulus)},
  {"impacts", "", "impacts in a period", offsetof(NsBranchRow, impacts)},
  {"slowest_impact", "m/s", "approach velocity of the slowest impact", offsetof(NsBranchRow, slowest)},
  {"contact_share", "", "part of the period with a closed contact", offsetof(NsBranchRow, share)},
  {"confirmed", "", "1: a simulation has the same events", offsetof(NsBranchRow, confirmed)},
  {"residual", "", "largest residual of the equations, scaled", offsetof(NsBranchRow, residual)},
  {"mark", NULL, "name of the bifurcation at this point, or -", offsetof(NsBranchRow, mark)},
  {NULL},
};
const NsCsvType NsCsvType_Branch = {"branch.csv", "a row for each point of the branches", NS_CSV_ANALYSIS, branch_columns};

static const NsColumn branch_probes_columns[] = {
  {"point", "", "number of the point in branch.csv", offsetof(NsBranchProbesRow, point)},
  {"min", NS_UNIT_OF_PROBE, "least value of the probe over the orbit", offsetof(NsBranchValue, low)},
  {"max", NS_UNIT_OF_PROBE, "largest value of the probe over the orbit", offsetof(NsBranchValue, high)},
  {NULL},
};
const NsCsvType NsCsvType_BranchProbes = {"branch_probes.csv", "a row for each point of the branches: the range of each probe", NS_CSV_ANALYSIS,
  branch_probes_columns, "probe", offsetof(NsBranchProbesRow, value), sizeof(NsBranchValue)};

static const NsColumn multiplier_columns[] = {
  {"point", "", "number of the point in branch.csv", offsetof(NsMultiplierRow, point)},
  {"re", "", "real part of the Floquet multiplier", offsetof(NsMultiplierRow, re)},
  {"im", "", "imaginary part", offsetof(NsMultiplierRow, im)},
  {"modulus", "", "its modulus: above 1 the orbit is unstable", offsetof(NsMultiplierRow, modulus)},
  {NULL},
};
const NsCsvType NsCsvType_Multipliers = {"multipliers.csv", "a row for each Floquet multiplier of each point", NS_CSV_ANALYSIS, multiplier_columns};

static const NsColumn bifurcation_columns[] = {
  {"name", NULL, "kind and number, as in branch.csv", offsetof(NsBifurcationRow, name)},
  {"kind", NULL,
    "fold, flip, torus (Neimark-Sacker), branch, symmetry (a branch point of a symmetric orbit), grazing, sliding, or hopf (a circular whirl begins)",
    offsetof(NsBifurcationRow, kind)},
  {"branch", "", "number of the branch", offsetof(NsBifurcationRow, branch)},
  {"parameter", NS_UNIT_UNKNOWN, "the key that is varied, in the unit of its range", offsetof(NsBifurcationRow, parameter)},
  {"period", "s", "period of the orbit", offsetof(NsBifurcationRow, period)},
  {"angle", "rad", "angle of the multipliers on the unit circle", offsetof(NsBifurcationRow, angle)},
  {"contact", NULL, "contact that grazes or slides, or -", offsetof(NsBifurcationRow, contact)},
  {NULL},
};
const NsCsvType NsCsvType_Bifurcations = {"bifurcations.csv", "a row for each bifurcation", NS_CSV_ANALYSIS, bifurcation_columns};

static const NsColumn reaction_columns[] = {
  {"kind", NULL, "support, spring or bearing", offsetof(NsReactionRow, kind)},
  {"name", NULL, "its name in the config", offsetof(NsReactionRow, name)},
  {"x", "m", "point about which the moment is taken, x", offsetof(NsReactionRow, x[0])},
  {"y", "m", "point about which the moment is taken, y", offsetof(NsReactionRow, x[1])},
  {"z", "m", "point about which the moment is taken, z", offsetof(NsReactionRow, x[2])},
  {"fx", "N", "force on the body along x", offsetof(NsReactionRow, force[0])},
  {"fy", "N", "force on the body along y", offsetof(NsReactionRow, force[1])},
  {"fz", "N", "force on the body along z", offsetof(NsReactionRow, force[2])},
  {"mx", "N m", "moment on the body about x", offsetof(NsReactionRow, moment[0])},
  {"my", "N m", "moment on the body about y", offsetof(NsReactionRow, moment[1])},
  {"mz", "N m", "moment on the body about z", offsetof(NsReactionRow, moment[2])},
  {NULL},
};
const NsCsvType NsCsvType_StaticReactions = {"static_reactions.csv", "a row for each support, spring and bearing", NS_CSV_ANALYSIS, reaction_columns};

static const NsColumn section_columns[] = {
  {"body", NULL, "name of the body", offsetof(NsSectionRow, body)},
  {"along", "m", "distance along the body", offsetof(NsSectionRow, along)},
  {"x", "m", "undeformed position, x", offsetof(NsSectionRow, x[0])},
  {"y", "m", "undeformed position, y", offsetof(NsSectionRow, x[1])},
  {"z", "m", "undeformed position, z", offsetof(NsSectionRow, x[2])},
  {"ux", "m", "displacement along x", offsetof(NsSectionRow, u[0])},
  {"uy", "m", "displacement along y", offsetof(NsSectionRow, u[1])},
  {"uz", "m", "displacement along z", offsetof(NsSectionRow, u[2])},
  {"rx", "rad", "rotation about x", offsetof(NsSectionRow, turn[0])},
  {"ry", "rad", "rotation about y", offsetof(NsSectionRow, turn[1])},
  {"rz", "rad", "rotation about z", offsetof(NsSectionRow, turn[2])},
  {"normal_force", "N", "normal force; tension is positive", offsetof(NsSectionRow, normal_force)},
  {"shear_2", "N", "shear force along the section's axis 2", offsetof(NsSectionRow, shear[0])},
  {"shear_3", "N", "shear force along axis 3", offsetof(NsSectionRow, shear[1])},
  {"torque", "N m", "torque", offsetof(NsSectionRow, torque)},
  {"moment_2", "N m", "bending moment about the section's axis 2", offsetof(NsSectionRow, moment[0])},
  {"moment_3", "N m", "bending moment about axis 3", offsetof(NsSectionRow, moment[1])},
  {NULL},
};
const NsCsvType NsCsvType_StaticSections = {
  "static_sections.csv", "five rows for each element of bars, beams and rotors, from its first to its last node", NS_CSV_ANALYSIS, section_columns};

static const NsColumn static_contact_columns[] = {
  {"contact", NULL, "name of the contact", offsetof(NsStaticContactRow, contact)},
  {"state", NULL, "open, closed, stick or slip", offsetof(NsStaticContactRow, state)},
  {"gap", "m", "distance; negative: penetration", offsetof(NsStaticContactRow, gap)},
  {"force", "N", "normal contact force", offsetof(NsStaticContactRow, force[0])},
  {"friction_force_1", "N", "tangential contact force along tangent 1", offsetof(NsStaticContactRow, force[1])},
  {"friction_force_2", "N", "tangential contact force along tangent 2", offsetof(NsStaticContactRow, force[2])},
  {NULL},
};
const NsCsvType NsCsvType_StaticContacts = {"static_contacts.csv", "a row for each contact candidate", NS_CSV_ANALYSIS, static_contact_columns};

const NsCsvType *const NsAnalysisTables[NS_ANALYSIS_TABLES] = {&NsCsvType_Modes, &NsCsvType_Campbell, &NsCsvType_CriticalSpeeds, &NsCsvType_Response,
  &NsCsvType_Orbit, &NsCsvType_OrbitEvents, &NsCsvType_OrbitState, &NsCsvType_Branch, &NsCsvType_BranchProbes, &NsCsvType_Multipliers,
  &NsCsvType_Bifurcations, &NsCsvType_StaticReactions, &NsCsvType_StaticSections, &NsCsvType_StaticContacts};
