// What only the tests of this package import: production code uses the index.
export { INDEX_TABLE, KEPT_TABLES, POINTING_TABLES, REMADE_TABLES } from './put-rows-back.ts';
