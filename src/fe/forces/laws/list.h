/* Laws of nonlinear springs and bearings: one file, one line: name, key, help, example. */
NS_SPRING_LAW(Cubic, cubic, "force proportional to the cube of the elongation", "{coefficient: 1 N/mm^3, travel: 2 mm}")
NS_SPRING_LAW(Tabulated, table, "force over elongation, linear between rows", "[[-2 mm, -50 N], [0, 0], [1 mm, 10 N], [2 mm, 50 N]]")
NS_SPRING_LAW(OneSided, one_sided, "a linear spring behind a gap", "{gap: 1 mm, stiffness: 1 MN/m}")
NS_SPRING_LAW(Hertz, hertz, "compression to a power, as of round bodies in contact, with dissipation", "{stiffness: 1e9, travel: 0.1 mm}")
NS_SPRING_LAW(PowerDamping, power_damping, "damping force proportional to a power of the rate", "{coefficient: 20, rate: 2 m/s}")
NS_BEARING_LAW(Film, film, "short journal bearing with an oil film", "{diameter: 100 mm, length: 30 mm, clearance: 0.1 mm, viscosity: 0.1 Pa s}")
NS_BEARING_LAW(SqueezeFilm, squeeze_film, "short squeeze-film damper", "{diameter: 130 mm, length: 23 mm, clearance: 0.08 mm, viscosity: 0.028 Pa s}")
NS_BEARING_LAW(Rolling, rolling, "ball or roller bearing with clearance", "{elements: 7, stiffness: 1.054e10, clearance: 5 um, travel: 50 um}")
