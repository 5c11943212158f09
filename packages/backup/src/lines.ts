/** The lines of a text of plain ASCII, without their ends. */
export const linesOf = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun = '';
  for await (const chunk of source) {
    const lines = (begun + chunk.toString('latin1')).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  if (begun !== '') yield begun;
};
