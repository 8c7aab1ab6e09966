/* Laws of contacts: one file, one line: name, key, help, example. Friction over the sliding speed; restitution over the approach speed; impact laws. */
NS_FRICTION_LAW(StaticKinetic, static_kinetic, "one coefficient at rest, a smaller one while the contact slides", "{static: 0.4, kinetic: 0.25}")
NS_FRICTION_LAW(Stribeck, stribeck, "coefficient that falls from static to kinetic over the sliding speed, with a viscous part",
  "{static: 0.4, kinetic: 0.25, velocity: 0.1 m/s}")
NS_FRICTION_LAW(
  FrictionTable, table, "coefficient over the sliding speed, linear between rows, constant beyond", "[[0, 0.4], [0.1 m/s, 0.3], [1 m/s, 0.25]]")
NS_RESTITUTION_LAW(RestitutionPower, power, "restitution that falls with a power of the approach speed", "{coefficient: 0.6, velocity: 1 m/s}")
NS_RESTITUTION_LAW(
  RestitutionTable, table, "restitution over the approach speed, linear between rows, constant beyond", "[[0, 0.9], [1 m/s, 0.7], [5 m/s, 0.5]]")
