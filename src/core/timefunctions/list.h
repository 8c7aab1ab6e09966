/* The kinds of factors over time: NS_TIME_FUNCTION(name, help, example). A file of the same name beside this one defines NsTimeKind_<name> (kind.h). No include guard. */
NS_TIME_FUNCTION(harmonic, "sine over time", "{frequency: 50 Hz}")
NS_TIME_FUNCTION(sweep, "sine whose frequency changes with time, 0 before and after", "{from: 10 Hz, to: 200 Hz, duration: 2 s}")
NS_TIME_FUNCTION(burst, "sine in a smooth envelope (Hann), 0 before and after", "{frequency: 20 kHz, cycles: 5}")
NS_TIME_FUNCTION(random, "random vibration with a given spectrum", "{spectrum: [[10 Hz, 1e-3 1/Hz], [200 Hz, 1e-3 1/Hz]], seed: 1}")
NS_TIME_FUNCTION(pulse, "half sine pulse", "{duration: 50 us}")
NS_TIME_FUNCTION(step, "1 from start to end, 0 before and after", "{end: 50 ms}")
NS_TIME_FUNCTION(input, "set from outside while the run is stepped by another program; constant in `percuss run`", "{value: 0}")
