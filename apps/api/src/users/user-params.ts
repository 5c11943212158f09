import { z } from 'zod';

export const userParams = z.strictObject({ user_id: z.uuid() });
