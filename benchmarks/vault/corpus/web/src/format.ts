/** Writing weights and times for people. */

/** Write grams as kilograms, with as many digits as a scale can tell. */
export function formatWeight(grams: number, locale: string): string {
  return new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(grams / 1000) + " kg";
}

/** Bring a time to the clock of the apiary, not of the reader. */
export function toLocalTime(seconds: number, zone: string): string {
  return new Date(seconds * 1000).toLocaleTimeString(undefined, { timeZone: zone });
}
