// What only the tests of this package import: production code uses the index.
export { checkConnectionRoom } from './connection-room.ts';
