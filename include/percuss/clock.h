/* The wall clock that everything is measured by. */
#pragma once

/* s since some time in the past; never moves backwards. */
double NsSeconds(void);
