// What actions are in Paperless-ngx: apps and exports are told the same, beside what only one of them has.
import { codenamesOf } from '@sheaf/paperless';
import { counterpartsOf } from '@sheaf/paperless/testing';
import { ACTIONS } from '@sheaf/vocabulary/permissions';
import test from 'ava';

/** Told to one of them alone. */
const APART = /_(?:customfieldinstance|user|group|applicationconfiguration|logentry|uisettings)$/;

const shared = (codenames: readonly string[]): string[] => codenames.filter((name) => !APART.test(name)).toSorted();

test('an action is the same permissions to apps and in exports', (t) => {
  for (const action of ACTIONS) {
    const inExport = counterpartsOf([action]).map((name) => name.slice(name.indexOf('.') + 1));
    t.deepEqual(shared(inExport), shared(codenamesOf([action])), action);
  }
  t.deepEqual(codenamesOf(['documents.share']), ['add_sharelink', 'change_sharelink', 'delete_sharelink', 'view_sharelink']);
  t.deepEqual(counterpartsOf([]), ['documents.view_uisettings', 'documents.change_uisettings']);
});
