import { z } from 'zod';

export const watchDirectoryBody = z
  .strictObject({
    user_id: z.uuid(),
    username: z.string(),
    watch_directory_path: z.string().nullable().describe('Where it is or would be made; null while something else is in that place'),
    exists: z.boolean(),
    enabled: z.boolean().describe('Whether there are watch directories for users; always true in an answer'),
  })
  .meta({ id: 'WatchDirectory' });

export const ensureWatchDirectoryRequest = z
  .strictObject({ ensure_created: z.boolean().describe('Make it where it is missing; false only looks') })
  .meta({ id: 'EnsureWatchDirectory' });

export const ensuredWatchDirectoryBody = z
  .strictObject({
    success: z.boolean().describe('Whether it is there now'),
    message: z.string(),
    watch_directory_path: z.string(),
  })
  .meta({ id: 'EnsuredWatchDirectory' });

export const removedWatchDirectoryBody = z
  .strictObject({
    success: z.literal(true),
    message: z.string().describe('Says how many files went with it, and how many of them had never been taken in'),
    watch_directory_path: z.null(),
  })
  .meta({ id: 'RemovedWatchDirectory' });
