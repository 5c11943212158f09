import type { ToolOutcome } from '@sheaf/sandbox';

/** What is found out of every PDF at once: its pages, their text, the places of words, pictures, embedded files, a drawn page. */
export type LookPart = 'info' | 'text' | 'words' | 'pictures' | 'attachments' | 'page';

/** CPU seconds of what is done in an instant, whatever the document is. */
const SHORT_SECONDS = 30;
const PAGE_SECONDS = 20;
/** What a program may print, in the blocks of 512 bytes that `ulimit -f` counts. */
const PRINTED_BLOCKS = (8 * 1024 ** 2) / 512;

/**
 * Arguments: the PDF, the last page, the file for the text and the one for words, CPU seconds for the words, whether pictures and attachments
 * are to be listed (not empty: yes), the prefix for the drawn page and its size (empty: none), then the programs. Says on standard error, which
 * is kept also where it fails, how each part ended; what the programs print lies in `<part>.out` and `<part>.err`. It fails when a part has
 * failed, so that a full disk is noticed.
 */
export const LOOK_SCRIPT = `
pdf=$1 last=$2 text=$3 words=$4 wordsSeconds=$5 pictures=$6 attachments=$7 page=$8; shift 8
pixels=$1 pdfinfo=$2 pdftotext=$3 pdfimages=$4 pdfdetach=$5 pdftoppm=$6
part() {
  name=$1 seconds=$2; shift 2
  (
    [ -z "$seconds" ] || ulimit -t "$seconds"
    case $name in info|pictures|attachments) ulimit -f ${PRINTED_BLOCKS};; esac
    exec "$@" >"$name.out" 2>"$name.err" </dev/null
  )
  code=$?
  echo "$name $code" >&2
  return $code
}
part info ${SHORT_SECONDS} "$pdfinfo" -f 1 -l "$last" -box "$pdf" & a=$!
part text '' "$pdftotext" -q -enc UTF-8 -l "$last" "$pdf" "$text" & b=$!
part words "$wordsSeconds" "$pdftotext" -q -enc UTF-8 -l "$last" -bbox-layout -cropbox "$pdf" "$words" & c=$!
d= e= f=
if [ -n "$pictures" ]; then part pictures ${SHORT_SECONDS} "$pdfimages" -f 1 -l "$last" -list "$pdf" & d=$!; fi
if [ -n "$attachments" ]; then part attachments ${SHORT_SECONDS} "$pdfdetach" -list "$pdf" & e=$!; fi
if [ -n "$pixels" ]; then part page ${PAGE_SECONDS} "$pdftoppm" -f 1 -l 1 -singlefile -cropbox -scale-to "$pixels" -q "$pdf" "$page" & f=$!; fi
end=0
for one in $a $b $c $d $e $f; do wait "$one" || end=1; done
exit $end
`;

/** What the shell says of a program that ended by a signal. */
const BY_SIGNAL = 128;
const SIGXCPU = 24;
const SIGXFSZ = 25;
const NOT_FOUND = 127;

/** How one part ended of what was started together; what of it was not said ended as the whole did. */
export const endOfPart = (part: LookPart, outcome: ToolOutcome, said: string): ToolOutcome => {
  const code = new RegExp(`^${part} (\\d{1,3})$`, 'm').exec(said)?.[1];
  if (code === undefined) return outcome.kind === 'done' ? { kind: 'failed', exitCode: undefined, signal: undefined, stderr: '' } : outcome;
  const exitCode = Number(code);
  if (exitCode === 0) return { kind: 'done', stdout: Buffer.alloc(0), stderr: '' };
  if (exitCode === NOT_FOUND) return { kind: 'missing' };
  if (exitCode === BY_SIGNAL + SIGXCPU) return { kind: 'timeout' };
  if (exitCode === BY_SIGNAL + SIGXFSZ) return { kind: 'output_too_large' };
  return { kind: 'failed', exitCode, signal: undefined, stderr: '' };
};
