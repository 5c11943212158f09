export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly { readonly word: string; readonly text: string }[];
}

const INSTRUCTION = /^(FROM|ARG|RUN|COPY|WORKDIR|ENV|USER|EXPOSE|VOLUME|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD|LABEL) (.+)$/s;

/** The lines of a Dockerfile with comments gone and continued lines joined. */
const logicalLines = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** The stages of a Dockerfile. Throws for a line that is no instruction we use, and for one before the first FROM. */
export const parseDockerfile = (text: string): Stage[] => {
  const stages: { name: string; from: string; instructions: { word: string; text: string }[] }[] = [];
  for (const line of logicalLines(text)) {
    const [, word, rest] = INSTRUCTION.exec(line) ?? [];
    if (word === undefined || rest === undefined) throw new Error(`not an instruction: ${line}`);
    if (word === 'FROM') {
      const [, from = '', name = ''] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ from, name, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`before the first FROM: ${line}`);
      stage.instructions.push({ word, text: rest });
    }
  }
  return stages;
};
