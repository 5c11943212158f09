export { formatWalPosition, parseWalPosition, ReadReplica, type WalPosition } from './read-replica.ts';
