import { toLocalTime } from "./format";

export interface Reading {
  hive: string;
  at: number;
  grams: number;
}

/** Ask for the readings of a hive again and again, and give them to whoever shows them. */
export function watchHiveReadings(hive: string, show: (found: Reading[]) => void, seconds = 60): () => void {
  const timer = setInterval(async () => {
    const answer = await fetch(`/hives/${hive}/readings`);
    show(await answer.json());
  }, seconds * 1000);
  return () => clearInterval(timer);
}

/** Name the moment of the last reading. */
export function lastSeen(found: Reading[], zone: string): string {
  return found.length ? toLocalTime(found[found.length - 1].at, zone) : "never";
}
