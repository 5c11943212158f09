import { z } from 'zod';

const bytes = z.int().nonnegative();

export const storageBody = z
  .strictObject({
    type: z.enum(['local', 's3', 'azure']).describe('Storage of new documents'),
    places: z.array(z.string()).describe('Folders and buckets with documents; new ones are stored in the first'),
    documents: z.int().nonnegative(),
    documents_bytes: bytes.describe('Size of the original files'),
    disks: z
      .array(
        z.strictObject({
          path: z.string(),
          uses: z.array(z.enum(['documents', 'temporary_files', 'data', 'backups'])).describe('What is stored on the disk'),
          size: bytes,
          free: bytes,
          usage: z.number().min(0).max(100).describe('In percent'),
          is_above_threshold: z.boolean(),
        }),
      )
      .describe('Local disks of the api'),
    warning_threshold: z.number().min(0).max(100).describe('DISK_WARNING_THRESHOLD in percent'),
    backups_share_disk: z.boolean().describe('Whether backups are on the same disk as the documents'),
  })
  .meta({ id: 'StorageReport' });
export type StorageBody = z.infer<typeof storageBody>;
