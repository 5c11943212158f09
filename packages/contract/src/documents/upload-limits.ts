import { z } from 'zod';

/** What an upload may be; for clients, which need not send what would be refused. */
export const uploadLimitsBody = z
  .strictObject({ max_file_bytes: z.int(), extensions: z.array(z.string()).describe('Allowed file name extensions without the dot') })
  .meta({ id: 'UploadLimits' });
