import { rowId } from '@sheaf/contract';
import { z } from 'zod';

export const userParams = z.strictObject({ user_id: rowId });
