import { z } from 'zod';

export const labelMatch = z.enum(['any', 'all']).describe('Whether documents have any of the labels, or all of them');
