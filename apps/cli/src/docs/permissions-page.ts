import { ACTIONS, BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
import { table } from './markdown.ts';

/** All permissions and the built-in roles, as Markdown. */
export const permissionsPage = (): string => `# Permissions

A permission is \`resource.action\`. With the suffix \`.own\` it covers what belongs to the user, \`resource.*\` stands for all actions of a
resource, and \`*\` for every permission. [Users and roles](../guides/users-and-roles.md) describes how to change roles.

## Built-in roles

${table(
  ['Role', 'Permissions'],
  Object.entries(BUILT_IN_ROLES).map(([role, permissions]) => [`\`${role}\``, permissions.map((one) => `\`${one}\``).join(', ')]),
)}

## All permissions

${ACTIONS.map((action) => `- \`${action}\``).join('\n')}
`;
