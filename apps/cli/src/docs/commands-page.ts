/** Every command and how its help is asked for. */
const COMMANDS: readonly (readonly [heading: string, command: string])[] = [
  ['sheaf', 'bin/sheaf --help'],
  ['sheaf start', 'bin/sheaf start --help'],
  ['sheaf --show-config', 'bin/sheaf --show-config --help'],
  ['sheaf verify', 'bin/sheaf verify --help'],
  ['sheaf backup', 'bin/sheaf backup --help'],
  ['sheaf restore', 'bin/sheaf restore --help'],
  ['sheaf password', 'bin/sheaf password --help'],
  ['sheaf drain', 'bin/sheaf drain --help'],
  ['sheaf facts', 'bin/sheaf facts --help'],
  ['sheaf import', 'bin/sheaf import --help'],
  ['sheaf export paperless', 'bin/sheaf export paperless --help'],
  ['sheaf openapi', 'bin/sheaf openapi --help'],
  ['migrate', 'bin/migrate --help'],
  ['migrate_to_s3', 'bin/migrate_to_s3 --help'],
];

/** The help of every command as Markdown; `outputOf` answers what a command prints. */
export const commandsPage = async (outputOf: (command: string) => Promise<string>): Promise<string> => {
  const sections: string[] = [];
  for (const [heading, command] of COMMANDS) {
    sections.push(`## ${heading}\n\n\`\`\`text\n${(await outputOf(command)).trim()}\n\`\`\``);
  }
  return `# Commands

Run commands in the project folder, or through a link to \`bin/sheaf\` in any folder of \`PATH\`. Commands read the same configuration as
the service: [configuration](../configuration/index.md). With systemd or a container, see
[running commands under systemd](../install/systemd.md#run-commands) and [in a container](../install/container.md#run-commands).

${sections.join('\n\n')}

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | Success |
| 1 | Failed, or something remains to be done |
| 2 | Wrong usage |
| 69 | The service, or another run of the same command, is running |
| 78 | Configuration error |
`;
};
