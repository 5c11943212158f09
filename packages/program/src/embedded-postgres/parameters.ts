import { totalmem } from 'node:os';

const MEGABYTE = 1024 * 1024;

const within = (least: number, wanted: number, most: number): number => Math.round(Math.min(most, Math.max(least, wanted)));

/**
 * The server's settings for a host that it shares with the rest of the service. Durable: fsync, full_page_writes and
 * synchronous_commit keep their defaults (on).
 */
export const serverParameters = (memoryBytes: number = totalmem(), machineBytes: number = totalmem()): Readonly<Record<string, string>> => {
  const memory = Math.min(memoryBytes, machineBytes) / MEGABYTE;
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // For a tool that starts the server; the supervisor counts the processes.
    max_connections: '300',
    shared_buffers: `${within(128, memory / 8, 1_024)}MB`,
    // Not memory of ours: what the kernel keeps of files, by which the planner judges an index.
    effective_cache_size: `${within(256, machineBytes / MEGABYTE / 2, 65_536)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${within(64, memory / 32, 512)}MB`,
    max_wal_size: '2GB',
    wal_compression: 'on',
    random_page_cost: '1.1', // solid state
    jit: 'off',
    // What shared memory is prepared for, and nobody uses: transactions are not serializable, nothing is replicated by rows, and no session reads
    // ahead further than `effective_io_concurrency`. By default that takes 8 MB.
    max_pred_locks_per_transaction: '10',
    max_logical_replication_workers: '0',
    io_max_concurrency: '16',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C', // its lines are read by `server-log.ts`
    log_line_prefix: '',
    log_checkpoints: 'off',
    // Statements hold what users wrote.
    log_min_error_statement: 'panic',
    log_parameter_max_length_on_error: '0',
  };
};
