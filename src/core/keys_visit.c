/* The keys of a tree with their tables: for what is done to values before they are read. */
#include <string.h>
#include "percuss/keys.h"

const NsTable *NsKeysTableOf(const NsKey *key, const NsNode *node)
{
  const NsNode *type = NsTreeChild(node, "type");

  if (key->kind != NS_KEY_VARIANT && key->kind != NS_KEY_NAMED_VARIANTS) return key->table;
  for (int i = 0; type && type->kind == NS_NODE_SCALAR && key->variants[i]; i++) {
    if (!strcmp(key->variants[i]->name, type->text)) return key->variants[i]->table;
  }
  return NULL;
}

void NsKeysVisit(const NsTable *table, NsNode *node, bool (*visit)(void *context, const NsKey *key, NsNode *node), void *context)
{
  const bool short_form = node->kind != NS_NODE_MAP;

  for (const NsKey *key = table ? table->keys : NULL; key && key->name; key++) {
    NsNode *value = short_form ? (table->shorthand && !strcmp(key->name, table->shorthand) ? node : NULL) : NsTreeChild(node, key->name);
    if (!value || !visit(context, key, value)) continue;
    switch (key->kind) {
    case NS_KEY_TABLE:
    case NS_KEY_VARIANT: NsKeysVisit(NsKeysTableOf(key, value), value, visit, context); break;
    case NS_KEY_LIST:
    case NS_KEY_NAMED:
    case NS_KEY_NAMED_VARIANTS:
      for (NsNode *child = value->first; child; child = child->next) NsKeysVisit(NsKeysTableOf(key, child), child, visit, context);
      break;
    default: break;
    }
  }
}
