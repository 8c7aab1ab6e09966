#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include "trade.h"

/* One term a line. */
/* clang-format off */
const NsTradeTerm NsTradeTerms[] = {
  /* parts of machines */
  {"journal bearing|plain bearing|fluid film bearing|hydrodynamic bearing|oil film|sleeve bearing|bush bearing|BearingFluidFlow|PlainJournal|CylindricalBearing", "bearings.film", "`film: {diameter, length, clearance, viscosity}` of a bearing; of any length with `model: finite`"},
  {"tilting pad bearing|tilting pad|TiltingPad|thrust bearing|ThrustPad", "bearings.over_speed", "a bearing with its coefficients in a table `over_speed`, from the data sheet or a program for bearings"},
  {"squeeze film|squeeze film damper|SFD|SqueezeFilmDamper", "bearings.squeeze_film", "`squeeze_film: {diameter, length, clearance, viscosity}` of a bearing"},
  {"ball bearing|roller bearing|rolling element bearing|BallBearingElement|RollerBearingElement", "bearings.rolling", "`rolling: {elements, stiffness, clearance, travel}` of a bearing"},
  {"magnetic bearing|active magnetic bearing|AMB|MagneticBearingElement", "bearings.magnetic", "`magnetic: {bias_force, gap, stiffness, damping}` of a bearing"},
  {"touchdown bearing|backup bearing|auxiliary bearing|catcher bearing|retainer bearing|safety bearing", "contacts", "a contact of the shaft with a cylinder or with a ring that turns: the example touchdown_bearing.yaml; elastic: `ring` of a bearing"},
  {"bearing element|BearingElement|bearing coefficient", "bearings", "`bearings: {NAME: {between: [shaft.left, ground], stiffness: 10 MN/m, damping: 1 kN s/m}}`"},
  {"seal|labyrinth|labyrinth seal|wear ring|balance piston|annular seal|SealElement|LabyrinthSeal|HolePatternSeal|honeycomb seal", "bearings.annular_seal", "`annular_seal` of a bearing, from its geometry; of gas seals and labyrinths the coefficients in a table `over_speed`"},
  {"pedestal|housing|casing|foundation|bearing housing|support mass|PointMass", "bodies.rigid", "a body of `type: rigid` between two bearings: [shaft.left, pedestal.center] and [pedestal.center, ground]"},
  {"coupling|flexible coupling|CouplingElement|hub", "bearings", "a bearing `between` two shafts with `stiffness` and `rotational_stiffness`; its mass by `discs`"},
  {"disk|wheel|impeller|DiskElement|disc element|blade wheel|flywheel|turbine wheel|compressor wheel|thrust collar", "discs", "`discs: {NAME: {at: shaft@0.5, mass, polar_inertia, diametral_inertia}}`, or `shape` and `density`"},
  {"shaft|ShaftElement|shaft element|rotating shaft|ShaftTaperedElement|shaft section", "bodies.rotor", "a body of `type: rotor` with `mesh: {stations: [{length: 100 mm, diameter: 40 mm}, ...]}`"},
  {"station|stations|station list|geometry table", "bodies.rotor.mesh.stations", "`mesh: {stations: [{length: 100 mm, diameter: 40 mm}, ...]}`, the lengths and diameters of the drawing"},
  {"unbalance mass|imbalance|residual unbalance|mass unbalance|eccentric mass|balance grade", "unbalances", "`unbalances: {NAME: {at: shaft@0.5, mass_eccentricity: 1e-4 kg m, phase: 0 deg}}`"},
  {"blade out|blade loss|blade off", "unbalances.from", "an unbalance with `from`, the instant at which the blade leaves: the example rotor_blade_out.yaml"},
  {"rotor drop|landing", "bearings.until", "magnetic bearings with `until`, the instant at which they fail: the example rotor_drop.yaml"},
  {"rub|rubbing|stator|annular rub|rub impact|Rubbing", "contacts", "a contact between a point of the shaft with a `radius` and a `cylinder` with `side: inside`"},
  {"crack|cracked shaft|Crack|misalignment|bow|bent shaft|MisalignmentFlex|MisalignmentRigid|shaft bow", NULL, "not modelled; a constant bow acts like an unbalance whose force is K times the bow: `loads` with `rotating: true`"},
  {"motor|electric motor|drive torque|driving torque|load torque|torque speed curve|motor characteristic|fan|brake", "motors", "`motors: {NAME: {between: [shaft.left, ground], torque: [[0 rpm, 20 N m], [3000 rpm, 0 N m]]}}` on a shaft whose spin is free"},
  {"gear|gearbox|gear mesh|gear pair|pinion|GearElement|MultiRotor|transmission ratio|backlash", "gears", "`gears: {NAME: {between: [pinion@0.5, wheel@0.5], teeth: [20, 60], stiffness: 200 MN/m}}`"},
  /* quantities */
  {"kxx|kyy|kzz|kxy|kyx|k22|k33|k23|k32|direct stiffness|cross coupled stiffness|cross coupling|cross coupled", "bearings.stiffness", "`stiffness: [k22, k33]`, or with cross coupling the 2 x 2 matrix [k22, k23, k32, k33], axes 2 and 3 being across the shaft"},
  {"cxx|cyy|czz|cxy|cyx|c22|c33|c23|c32|direct damping", "bearings.damping", "`damping: [c22, c33]`, or with cross coupling the 2 x 2 matrix [c22, c23, c32, c33], axes 2 and 3 being across the shaft"},
  {"mxx|myy|mxy|myx|fluid mass", "bearings.added_mass", "`added_mass` of a bearing, in all lateral directions"},
  {"Ip|Jp|polar moment of inertia|polar moment", "discs.polar_inertia", "`polar_inertia` of a disc"},
  {"Id|Jd|It|transverse inertia|diametral moment of inertia|transverse moment of inertia", "discs.diametral_inertia", "`diametral_inertia` of a disc"},
  {"E|youngs modulus|elastic modulus|modulus of elasticity", "materials.young", "`young` of a material"},
  {"rho|mass density", "materials.density", "`density` of a material"},
  {"G_s|Gs", "materials.shear_modulus", "`shear_modulus` of a material, or `poisson`: G = E/(2 (1 + poisson))"},
  {"odl|odr|idl|idr|outer diameter|inner diameter|od|id_shaft|bore diameter", "bodies.rotor.mesh.stations.list.diameter", "`diameter` and `bore` of a piece of the shaft; two numbers for a cone"},
  {"rpm|rotor speed|rotational speed|running speed|operating speed", "bodies.rotor.spin", "`spin: 3000 rpm` of a rotor, over time {table: ...}, or {free: 0 rpm}"},
  {"run up|runup|coast down|coastdown", "bodies.rotor.spin", "`spin: {table: [[0 s, 0 rpm], [10 s, 6000 rpm]]}` of a rotor; free: {free: 0 rpm} with `motors`"},
  {"internal damping|rotating damping|hysteretic damping|material damping", "bodies.rotor.damping", "`damping: {rotating: 1e-5 s}` of the rotor; of single parts a bearing with `rotating_damping`"},
  /* analyses and pictures */
  {"campbell|campbell diagram|critical speed|critical speeds|run_campbell|whirl speed|natural frequency|natural frequencies|run_modal|mode shape|stability|log dec|logarithmic decrement|damped critical speed|eigenvalue", NULL, "percuss modes CONFIG --campbell \"0 rpm:9000 rpm:61\", then postprocess/campbell.py"},
  {"UCS|undamped critical speed map|critical speed map|run_ucs", NULL, "postprocess/critical_map.py CONFIG --stiffness 1e6:1e9:9 --to 12000"},
  {"stability map|level 1|level I|run_level1|API 617|API 684|separation margin|amplification factor", NULL, "postprocess/stability_map.py CONFIG for Level I; postprocess/response.py --operating LOW:HIGH for margins"},
  {"unbalance response|synchronous response|frequency response|run_unbalance_response|run_freq_response|bode|bode plot|polar plot|steady state response", NULL, "percuss response CONFIG --speeds \"500 rpm:6000 rpm:111\", then postprocess/response.py"},
  {"time response|transient|run_time_response|run_transient", NULL, "percuss run CONFIG, then postprocess/rotor.py"},
  {"static deflection|run_static|gravity sag|bearing load|bearing reaction|shear diagram|moment diagram", NULL, "percuss static CONFIG; over time the probes bearings.NAME of `output.history`"},
  {"proximity probe|vibration probe|keyphasor|orbit plot|waterfall|cascade|shaft centreline|shaft centerline|orbit|full spectrum|poincare section|DFFT", "output.orbits.stations", "`output: {orbits: {stations: {NAME: shaft@0.5}}}`, then postprocess/rotor.py"},
  {"steady whirl|synchronous whirl", "start", "`start: synchronous`: a run begins in the steady response to unbalance"},
  {NULL, NULL, NULL},
};
/* clang-format on */

/* The next letter or digit, in small letters; '\0' at the end of the word. */
static int next(const char **text)
{
  while (**text && **text != '|' && (**text == ' ' || **text == '_' || **text == '-' || **text == '\'')) ++*text;
  if (!**text || **text == '|') return '\0';
  return tolower((unsigned char)*(*text)++);
}

/* Equal, except for the plural s of `word`. */
static int is_same(const char *word, const char *term)
{
  for (;;) {
    const int a = next(&word), b = next(&term);

    if (a == b && !a) return 1;
    if (a != b) return !b && a == 's' && !next(&word);
  }
}

const NsTradeTerm *NsTradeFind(const char *word)
{
  if (!*word) return NULL;
  for (const NsTradeTerm *term = NsTradeTerms; term->words; term++) {
    for (const char *at = term->words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
      if (is_same(word, at)) return term;
    }
  }
  return NULL;
}
