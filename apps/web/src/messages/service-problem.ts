import type { ComponentHealth } from '@sheaf/contract/operations';
import { problemsText, type Translator, withoutBidiControls } from '@sheaf/messages';

/** What is wrong with a component; undefined where nothing is. */
export const healthText = ({ message, problems }: ComponentHealth, translator: Translator): string | undefined =>
  problems === undefined ? message && withoutBidiControls(message) : problemsText(problems, translator);
