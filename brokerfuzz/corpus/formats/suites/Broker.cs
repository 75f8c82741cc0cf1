#nullable enable

using System.Collections.Generic;
using System.Threading.Tasks;

namespace Brokerfuzz;

/// <summary>Connects the tests to your system. Complete this file. brokerfuzz creates it once and does not overwrite it.</summary>
internal static class Broker
{
    /// <summary>
    /// The time on the clock of your system, such as "2025-06-15T12:00:00Z", or null for the current time. The verdicts of a few
    /// cases depend on the clock. These cases are left out unless this is their time.
    /// </summary>
    public static readonly string? Clock = null;

    /// <summary>
    /// Returns true if your system accepts a message. The headers replace the default headers of the request with the same names
    /// (null: do not send this header); most cases have none. Return false for a rejection: any exception counts as a crash.
    /// </summary>
    public static Task<bool> AcceptsAsync(string messageType, byte[] body, IReadOnlyList<KeyValuePair<string, string?>> headers)
    {
        throw new NotCompletedException(
            "complete AcceptsAsync() in Broker.cs: send the message to your system, and return true if it accepts the message");
    }
}
