import { z } from 'zod';

export const invitationBody = z
  .strictObject({
    username: z.string(),
    token: z.string().describe('Returned once; for POST /api/auth/invitation'),
    url: z.string().describe('Link to set the first password'),
    expires_at: z.iso.datetime(),
    is_sent: z.boolean().describe('The link was sent to the e-mail address of the user'),
  })
  .meta({ id: 'Invitation' });
