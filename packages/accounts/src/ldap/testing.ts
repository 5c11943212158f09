// What only the tests of this package import: production code uses the index.
export { openConnection } from './connection.ts';
export { commonNameOf, normaliseName } from './distinguished-name.ts';
export { LdapDriver } from './driver.ts';
export { findComparedAttribute, parseFilterTemplate } from './filter-template.ts';
export { groupOf, namesOfGroups } from './groups.ts';
export type { LdapSettings } from './settings.ts';
