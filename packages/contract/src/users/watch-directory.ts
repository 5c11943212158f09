import { z } from 'zod';

export const watchDirectoryBody = z
  .strictObject({
    user_id: z.uuid(),
    username: z.string(),
    watch_directory_path: z.string().nullable().describe('Path of the folder, existing or not; null if another file is in its place'),
    exists: z.boolean(),
    enabled: z.boolean().describe('Whether watch folders for users are enabled; always true in a response'),
  })
  .meta({ id: 'WatchDirectory' });

export const ensureWatchDirectoryRequest = z
  .strictObject({ ensure_created: z.boolean().default(true).describe('Create the folder if it is missing; false only checks') })
  .prefault({})
  .meta({ id: 'EnsureWatchDirectory' });

export const ensuredWatchDirectoryBody = z
  .strictObject({
    success: z.boolean().describe('Whether the folder exists'),
    message: z.string(),
    watch_directory_path: z.string(),
  })
  .meta({ id: 'EnsuredWatchDirectory' });

export const removedWatchDirectoryBody = z
  .strictObject({
    success: z.literal(true),
    message: z.string().describe('Number of files removed with the folder, and how many of them were never imported'),
    watch_directory_path: z.null(),
  })
  .meta({ id: 'RemovedWatchDirectory' });
