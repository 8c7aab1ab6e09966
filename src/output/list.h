/*
  Writers: one file, one line. Opened and closed in this order.

      NS_WRITER(Name, key, table, default, help, example)   with settings: a mapping of the key `output.key`, whose table begins its struct with NsEverySettings
      NS_WRITER_SWITCH(Name, key, default, help, example)   switched by `output.key: true` or `false`
      NS_WRITER_ALWAYS(Name)                                without a key
*/
NS_WRITER(Frames, frames, NsTable_Frames, "{every: 100}", "VTK files for ParaView", "{every: 20}")
NS_WRITER(History, history, NsTable_History, "{every: 1}", "history.csv: displacements and velocities of probes", "{probes: [bar.left], every: 1}")
NS_WRITER(Orbits, orbits, NsTable_Orbits, "{}", "orbits.csv and poincare.csv: orbits of rotors at their stations",
  "{stations: {journal: {at: shaft.left, relative_to: housing.center}}}")
NS_WRITER(
  Contacts, contacts, NsTable_Every, "{every: 1}", "contacts.csv: gaps, gap rates, forces, impulses since the previous row, states", "{every: 1}")
NS_WRITER_SWITCH(
  Events, events, "true", "events.csv: impacts, closings, openings, stick and slip; gap rates before and after, impulse, energy lost", "false")
NS_WRITER(Energy, energy, NsTable_Every, "{every: 1}", "energy.csv: energies, dissipation, external work, numerical energy error", "{every: 10}")
NS_WRITER(BodyEnergies, body_energies, NsTable_Every, "{every: 0}", "body_energies.csv: energies of each body, spring and bearing", "{every: 10}")
NS_WRITER(Resultants, resultants, NsTable_Every, "{every: 0}", "resultants.csv: resultant force, moment and impulse of all contacts of one name",
  "{every: 1}")
NS_WRITER_ALWAYS(Progress)
