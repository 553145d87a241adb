// Whoever uses this browser next must not see the searches of who has signed out.
import { forgetAllRecent } from "./recent.js";

forgetAllRecent();
