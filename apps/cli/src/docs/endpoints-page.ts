import { table } from './markdown.ts';
import type { Endpoint } from './openapi.ts';

/** The list of endpoints by resource, as Markdown. */
export const endpointsPage = (endpoints: readonly Endpoint[]): string => {
  const sections = [...Map.groupBy(endpoints, ({ tag }) => tag)].map(
    ([tag, group]) =>
      `## ${tag}\n\n${table(
        ['Endpoint', 'Permission', 'Summary'],
        group.map(({ method, path, permission, summary }) => [
          `\`${method} ${path}\``,
          permission === undefined ? '-' : `\`${permission}\``,
          summary,
        ]),
      )}`,
  );
  return `# Endpoints

Every endpoint with the permission that it requires. Parameters, bodies and answers are in the OpenAPI document of your installation:
\`/api/docs\` in a browser, \`/api/openapi.json\` for programs. [Permissions](permissions.md) lists the roles.

${sections.join('\n\n')}
`;
};
