import { defineTexts } from '../../language/texts.ts';

export const systemTexts = defineTexts({
  en: {
    title: 'System settings',
    hint: 'They hold for everybody and go before the configuration. Most apply at once.',
    find: 'Find a setting',
    changedHere: 'changed here',
    restart: 'applies after a restart',
    restartNeeded: (names: string) => `Restart the service for these to apply: ${names}`,
    reset: 'Back to the configuration',
    resetOf: (name: string) => `Set ${name} back to the configuration`,
    save: 'Save',
    saved: 'Saved',
    none: 'No setting is called so',
    listHint: 'Several, with commas between them',
  },
  de: {
    title: 'Systemeinstellungen',
    hint: 'Sie gelten für alle und gehen der Konfiguration vor. Die meisten gelten sofort.',
    find: 'Einstellung suchen',
    changedHere: 'hier geändert',
    restart: 'gilt nach einem Neustart',
    restartNeeded: (names: string) => `Starten Sie den Dienst neu, damit gilt: ${names}`,
    reset: 'Zurück zur Konfiguration',
    resetOf: (name: string) => `${name} auf die Konfiguration zurücksetzen`,
    save: 'Speichern',
    saved: 'Gespeichert',
    none: 'Keine Einstellung heißt so',
    listHint: 'Mehrere, mit Kommas dazwischen',
  },
});
