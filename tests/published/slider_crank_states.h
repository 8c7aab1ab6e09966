/*
  Slider-crank with clearance: figures of an independent implementation of the schemes, not of this program, with all the digits of its file
  (acceptance_001_000.json). What is zero there but for rounding (below 1e-12: the slider never turns) is 0 here.

  Parameters are those of [A] Table 1, restitution 0.4, start (0, 0, 0), (150, -75, 0). Its linearised GGL variants have no counterpart here.
*/
#pragma once

/* What its counts of steps count. */
typedef enum {
  IMPULSIVE, /* steps with an impact */
  CLOSING,   /* steps where a contact is closed at the end and was not before: there an impulse may be zero but for rounding */
  SHORT,     /* steps shortened for an impact */
  PREDICTED, /* steps where a contact open at q0 is closed at q0 + dt v0 */
  FORECAST,  /* steps with an active contact, g(q0) + dt/2 gdot(q0, v0) <= 0 */
  MIDPOINT,  /* the same, g(q0 + dt/2 v0) <= 0 */
  COUNTS
} Count;

typedef struct {
  const char *name, *scheme;                           /* there; here */
  double      friction, t, q[3], v[3], energy, lowest; /* s, rad, rad/s, J; m: the smallest gap of all steps */
  int         steps;
  Count       of;
} State;

/* After 0.05 s with dt = 1e-4. */
static const State states[] = {
  {"moreau_jean", "moreau_jean_explicit", 0, 0.05, {4.805082506096838, 0.5260958362860196, 0.0}, {68.38458545375629, -3.6597617882662634, 0.0},
    7.40234303672512, -0.000318077185708511, 181, FORECAST},
  {"moreau_jean_wnew", "moreau_jean_explicit, approach: end", 0, 0.05, {4.804942348485071, 0.5253103298107803, 0.0},
    {68.37799793367702, -3.7291665238062035, 0.0}, 7.411170216193246, -0.00012382126905784857, 168, FORECAST},
  {"he_acc", "half_explicit_acceleration, restitution_of: all_closed", 0, 0.05, {4.799491417095076, 0.5251915962300151, 0.0},
    {68.54614978145354, -3.442818974331716, 0.0}, 7.405982857261768, -8.321334334177033e-05, 12, IMPULSIVE},
  {"ex_vel_opt2", "explicit_velocity, restitution_of: all_closed", 0, 0.05, {4.799374866601425, 0.5251889079414221, 0.0},
    {68.55228164791615, -3.421440160504442, 0.0}, 7.403977963466014, -8.071314548467254e-05, 12, IMPULSIVE},
  {"ex_vel_opt1", "explicit_velocity, restitution_of: all_closed, free_force: included", 0, 0.05, {4.798927891792389, 0.5251504373175978, 0.0},
    {68.50443806768428, -3.437323989749856, 0.0}, 7.39683971307656, -0.0002996435303363812, 12, IMPULSIVE},
  {"ex_vel_opt1_keep", "explicit_velocity, restitution_of: all_closed, free_force: included, activation: kept", 0, 0.05,
    {4.798961204338136, 0.5251781126290336, 0.0}, {68.4563544192483, -3.4969011835302437, 0.0}, 7.39624553455426, -0.00040459265092732816, 12,
    IMPULSIVE},
  {"he_vel", "half_explicit, restitution_of: all_closed", 0, 0.05, {4.799566268115695, 0.525181246855346, 0.0},
    {68.54714946497145, -3.4488904713255195, 0.0}, 7.40707522490431, -4.3821262941778905e-05, 15, IMPULSIVE},
  {"brasey_always", "half_explicit, restitution_of: all_closed, decide: always", 0, 0.05, {4.798765398391858, 0.525299117660035, 0.0},
    {68.54328820673845, -3.417326762826723, 0.0}, 7.402134494155267, -2.1115799719390038e-05, 3, CLOSING},
  {"brasey_robust", "half_explicit, restitution_of: all_closed, decide: at_prediction", 0, 0.05, {4.799565337196334, 0.5251807736599315, 0.0},
    {68.54716644087758, -3.448853644271126, 0.0}, 7.407073234665796, -4.367748559454265e-05, 24, PREDICTED},
  {"mbsim", "half_explicit_two_step, restitution_of: all_closed", 0, 0.050030000000000005, {4.801680070298529, 0.5250726209788257, 0.0},
    {68.4972584854012, -3.5313719012555955, 0.0}, 7.407590588327848, -4.282007594065551e-06, 343, SHORT},
  {"mbsim_literal", "half_explicit_two_step, restitution_of: all_closed, decide: once", 0, 0.050010000000000006,
    {4.8003089308715365, 0.5251427001331294, 0.0}, {68.5304344253202, -3.478834244904781, 0.0}, 7.407585440924296, -4.282007594065551e-06, 331,
    SHORT},
  {"moreau_midpoint", "moreau_midpoint", 0, 0.05, {4.766492509783278, 0.5268018293944936, 0.0}, {68.68619143953507, -2.09044816582204, 0.0},
    7.2477434468967274, -0.00011210712804943929, 142, MIDPOINT},
  {"ggl_decoupled", "ggl_decoupled", 0, 0.05, {4.767041567876916, 0.5265127313759191, 0.0}, {68.71216072302383, -2.112664552614964, 0.0},
    7.256088493408498, -5.551115123125783e-17, 108, MIDPOINT},
  {"ggl_unified", "ggl_unified, project: active", 0, 0.05, {4.799553351140072, 0.5251811723874135, 0.0},
    {68.59933378766705, -3.3932264680815636, 0.0}, 7.409196447967686, -7.0293386433550875e-06, 116, MIDPOINT},
  {"ggl_unified_full", "ggl_unified, project: all", 0, 0.05, {4.799550959499295, 0.5251812927013164, 0.0},
    {68.59942336681254, -3.3931365904530173, 0.0}, 7.409203332160264, -8.97393270804514e-13, 116, MIDPOINT},
  {"ggl_reference", "ggl_unified, project: none", 0, 0.05, {4.799029362867093, 0.5255439438241423, 0.0},
    {68.57087600080149, -3.3718576068342085, 0.0}, 7.400747773708853, -9.838984244288362e-05, 140, MIDPOINT},
  {"moreau_jean", "moreau_jean_explicit", 0.01, 0.05, {4.799599118239542, 0.5263102461716885, 0.0}, {68.3074746359028, -3.440376150326652, 0.0},
    7.3568559207210384, -0.0002994827788122302, 176, FORECAST},
  {"moreau_jean_wnew", "moreau_jean_explicit, approach: end", 0.01, 0.05, {4.7993514593014295, 0.5256342219501685, 0.0},
    {68.29472475276955, -3.505478260084723, 0.0}, 7.363957406198375, -0.0001485002969505607, 179, FORECAST},
  {"ex_vel_opt2", "explicit_velocity, restitution_of: all_closed", 0.01, 0.05, {4.793779089649105, 0.5254627986313479, 0.0},
    {68.45921492523058, -3.213425596836594, 0.0}, 7.356833469698799, -9.235302582117494e-05, 11, IMPULSIVE},
  {"ex_vel_opt1", "explicit_velocity, restitution_of: all_closed, free_force: included", 0.01, 0.05, {4.793421716702919, 0.5254045854716085, 0.0},
    {68.40654561391631, -3.2413510192133423, 0.0}, 7.350494414723225, -0.00033900267782612306, 13, IMPULSIVE},
  {"ex_vel_opt1_keep", "explicit_velocity, restitution_of: all_closed, free_force: included, activation: kept", 0.01, 0.05,
    {4.793413017486015, 0.525429118422995, 0.0}, {68.38737450127049, -3.261591281794943, 0.0}, 7.349735710519228, -0.00035784544831565096, 11,
    IMPULSIVE},
  {"he_vel", "half_explicit, restitution_of: all_closed", 0.01, 0.05, {4.793968599630061, 0.525454108240803, 0.0},
    {68.46614702634429, -3.2246405408021435, 0.0}, 7.359885919532577, -8.624487266447461e-05, 11, IMPULSIVE},
  {"brasey_always", "half_explicit, restitution_of: all_closed, decide: always", 0.01, 0.05, {4.7932874231436475, 0.52578927783737, 0.0},
    {68.4552221906295, -3.197885734185444, 0.0}, 7.354329376426242, -8.083909585909765e-05, 3, CLOSING},
  {"brasey_robust", "half_explicit, restitution_of: all_closed, decide: at_prediction", 0.01, 0.05, {4.793968599630061, 0.525454108240803, 0.0},
    {68.46614702634433, -3.224640540802145, 0.0}, 7.359885919532587, -8.624487266447461e-05, 22, PREDICTED},
  {"mbsim", "half_explicit_two_step, restitution_of: all_closed", 0.01, 0.05, {4.794074294642558, 0.5254468676991483, 0.0},
    {68.47321024403016, -3.222667054272029, 0.0}, 7.3609503916795385, -4.282007594065551e-06, 340, SHORT},
  {"mbsim_literal", "half_explicit_two_step, restitution_of: all_closed, decide: once", 0.01, 0.05, {4.794074905547779, 0.5254471849504654, 0.0},
    {68.47423993562039, -3.221314981315972, 0.0}, 7.3609513701733515, -4.282007594065551e-06, 330, SHORT},
  {"moreau_midpoint", "moreau_midpoint", 0.01, 0.05, {4.76073344284274, 0.5269302812544423, 0.0}, {68.62172737720378, -1.8603621483220847, 0.0},
    7.201413478369758, -0.00011459260427636522, 136, MIDPOINT},
};

/* The first impact, of corners 1 and 2: when, where, and the velocities before it; Delassus matrix of the two normals. */
static const double impact_t = 0.0026925027520206804, impact_q[3] = {0.35530445502767183, -0.17150954094013895, 0.0},
                    impact_v[3]    = {109.55768154315763, -49.33078996193666, 0.0};
static const double impact_rate[4] = {-0.8416123220326959, -0.8416123220326959, 0.8416123220326959, 0.8416123220326959};
static const double impact_G[2][2] = {{936.5609736223125, -915.2908782295398}, {-915.2908782295398, 936.5609736223125}};

/* Impulses of the two corners (N s) and velocities after it. */
static const struct {
  double friction, normal[2], tangential_sum, v[3];
} impacts[] = {
  {0, {0.05539501488301439, 0.05539501488301437}, 0, {108.79372856054324, -52.87518787462796, 0.0}},
  {0.01, {0.05574032307374137, 0.055185692993405616}, 0.0011092601606714843, {108.7245800017753, -52.84229042029222, 0.0}},
  {0.3, {0.06613661077663405, 0.048883581878381696}, 0.03450605779650473, {106.6427055183499, -51.85183780679524, 0.0}},
};

/* Converged, at 0.2 s. */
static const struct {
  double friction, q[3], v[3], energy;
} converged[] = {
  {0, {18.17687700277791, 0.3134039704482104, 0.0}, {77.7409657117269, -31.20251195069317, 0.0}, 7.152724730213299},
  {0.01, {18.083678349282724, 0.3524822999132058, 0.0}, {70.89549126487061, -28.69985210808556, 0.0}, 6.995382781267173},
};
