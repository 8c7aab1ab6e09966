#include "command.h"

const NsCommand *const NsCommands[] = {
#define NS_COMMAND(Name) &NsCommand_##Name,
#include "list.h"
#undef NS_COMMAND
  NULL,
};
