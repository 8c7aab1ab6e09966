/*
  Everything that is attached to points of bodies, beside supports and force elements: one line each. They are made in this order.

      NS_ATTACHMENT(Name, key, help, example)   a top-level key of the config, NsTable_Name, and NsFeAttach_Name, which makes all of its list (attach.h)
*/
NS_ATTACHMENT(Mass, masses, "point masses", "{head: {at: bar.right, mass: 0.2 kg}}")
NS_ATTACHMENT(
  Disc, discs, "rigid discs on shafts and beams", "{flywheel: {at: shaft@180 mm, mass: 4.98 kg, polar_inertia: 0.01, diametral_inertia: 0.006}}")
NS_ATTACHMENT(Unbalance, unbalances, "unbalances of rotors", "{mark: {at: shaft@180 mm, mass_eccentricity: 1e-3 kg m}}")
NS_ATTACHMENT(Load, loads, "forces and moments", "{push: {at: bar.right, force: [-1 kN, 0, 0]}}")
