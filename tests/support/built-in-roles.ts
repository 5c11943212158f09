import { BUILT_IN_ROLES, type ConfiguredRoles } from '@sheaf/vocabulary/permissions';

/** The roles of a service without ROLES_FILE. */
export const CONFIGURED_ROLES: ConfiguredRoles = { permissions: BUILT_IN_ROLES, areFromFile: false };
