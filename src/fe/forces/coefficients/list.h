/* Coefficients of bearings over the speed, by formulas: one file, one line: name, key, help, example. */
NS_COEFFICIENTS(AnnularSeal, annular_seal, "turbulent annular seal (wear ring, balance piston) with incompressible flow, from its geometry",
  "{diameter: 160 mm, length: 40 mm, clearance: 0.25 mm, pressure_drop: 2 MPa, density: 1000 kg/m^3, viscosity: 1 cP}")
NS_COEFFICIENTS(RotatingDamping, rotating_damping,
  "damper that turns with the shaft (friction in couplings and shrink fits), which drives whirl above a critical speed", "{damping: 100 N s/m}")
