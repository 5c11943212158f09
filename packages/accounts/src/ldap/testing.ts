// What only the tests of this package import: production code uses the index.
export { type LdapSettings, openConnection } from './connection.ts';
export { commonNameOf, findComparedAttribute, groupOf, LdapDriver, namesOfGroups, normaliseName, parseFilterTemplate } from './driver.ts';
