export { sql } from '@sheaf/db/drizzle';
