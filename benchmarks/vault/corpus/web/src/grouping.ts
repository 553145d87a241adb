import { formatWeight } from "./format";

export interface Hive {
  id: string;
  apiary: string;
  grams: number;
}

/** Put hives together that stand at one place, the heaviest first. */
export function groupByApiary(hives: Hive[]): Map<string, Hive[]> {
  const groups = new Map<string, Hive[]>();
  for (const hive of [...hives].sort((a, b) => b.grams - a.grams)) {
    groups.set(hive.apiary, [...(groups.get(hive.apiary) ?? []), hive]);
  }
  return groups;
}

/** Say in one line how heavy a place is. */
export function summaryLine(hives: Hive[], locale: string): string {
  return formatWeight(hives.reduce((sum, hive) => sum + hive.grams, 0), locale);
}
