export { ReadReplica } from './read-replica.ts';
export { formatWalPosition, parseWalPosition, type WalPosition } from './wal-position.ts';
