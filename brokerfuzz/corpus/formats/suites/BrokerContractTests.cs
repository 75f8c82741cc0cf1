#nullable enable

using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Xunit;

namespace Brokerfuzz;

/// <summary>The cases of cases.ndjson, a test each, written by brokerfuzz. What is to be filled in is in Broker.cs.</summary>
public class BrokerContractTests
{
    private static readonly IReadOnlyDictionary<string, Case> Cases = Read();
    private static readonly IReadOnlyDictionary<string, Case> ById = Cases.Values.ToDictionary(one => one.Id);
    private static readonly ConcurrentDictionary<string, bool> Answers = new();

    public static IEnumerable<object[]> Names =>
        from one in Cases.Values where one.Now is null || one.Now == Broker.Clock select new object[] { one.Name };

    [Theory]
    [PropertyData(nameof(Names))]
    public async Task BrokerContract(string name)
    {
        Case one = Cases[name];
        bool accepted = await AcceptedAsync(one);
        if (one.Verdict == "valid")
        {
            Assert.True(accepted, $"rejected {one}");
        }
        if (one.Verdict == "invalid")
        {
            Assert.False(accepted, $"accepted {one}");
            Case? twin = ById.GetValueOrDefault(one.Twin ?? "");
            Assert.True(
                twin is null || await AcceptedAsync(twin),
                $"the rejection proves nothing: the valid twin, {twin?.Name}, is rejected too\n{one}");
        }
    }

    /// <summary>Asks whether a message is accepted; of a valid one, which may be the twin of many, once.</summary>
    private static async Task<bool> AcceptedAsync(Case one)
    {
        if (Answers.TryGetValue(one.Id, out bool known))
        {
            return known;
        }
        bool answer = await AskAsync(one);
        if (one.Verdict == "valid")
        {
            Answers[one.Id] = answer;
        }
        return answer;
    }

    private static async Task<bool> AskAsync(Case one)
    {
        try
        {
            return await Broker.AcceptsAsync(one.MessageType, one.Body, one.Headers);
        }
        catch (Exception problem) when (problem is not NotFilledInException)
        {
            throw new InvalidOperationException($"crashed on {one}", problem);
        }
    }

    /// <summary>The file beside the assembly, where the project copies it there, or else beside this one.</summary>
    private static IReadOnlyDictionary<string, Case> Read([CallerFilePath] string source = "")
    {
        string[] folders = { AppContext.BaseDirectory, Path.GetDirectoryName(source) ?? "." };
        string? file = folders.Select(folder => Path.Combine(folder, "cases.ndjson")).FirstOrDefault(File.Exists);
        if (file is null)
        {
            throw new FileNotFoundException($"cases.ndjson is in neither of {string.Join(", ", folders)}: copy it to the output directory");
        }
        return File.ReadLines(file).Select(Case.Read).ToDictionary(one => one.Name);
    }

    /// <summary>A message and what the contract says of it: valid, invalid or unspecified, and why.</summary>
    private sealed record Case(
        string Id,
        string Name,
        string MessageType,
        string Verdict,
        string Reason,
        string? Now,
        string? Twin,
        IReadOnlyList<KeyValuePair<string, string?>> Headers,
        byte[] Body)
    {
        private static readonly JsonDocumentOptions Deep = new() { MaxDepth = 4096 };

        public static Case Read(string line)
        {
            using JsonDocument document = JsonDocument.Parse(line, Deep);
            JsonElement said = document.RootElement;
            string? Text(string property) => said.GetProperty(property).GetString();
            return new Case(
                Text("id")!,
                Text("name")!,
                Text("message")!,
                Text("verdict")!,
                Text("reason")!,
                Text("now"),
                Text("twin"),
                said.TryGetProperty("headers", out JsonElement headers) ? headers.EnumerateArray().Select(Header).ToList() : Array.Empty<KeyValuePair<string, string?>>(),
                said.TryGetProperty("body", out JsonElement body)
                    ? Encoding.UTF8.GetBytes(body.GetRawText()) // the bytes of the message, down to the last digit
                    : said.GetProperty("raw").GetBytesFromBase64());
        }

        private static KeyValuePair<string, string?> Header(JsonElement pair) => new(pair[0].GetString()!, pair[1].GetString());

        /// <summary>The case for a reader.</summary>
        public override string ToString()
        {
            IEnumerable<string> sent = Headers.Select(header => header.Value is null ? $"\n  without {header.Key}" : $"\n  with {header.Key}: {header.Value}");
            return $"the {Verdict} {MessageType} {Id}\n  {Reason}{string.Concat(sent)}\n  {Printable(Encoding.UTF8.GetString(Body))}";
        }

        /// <summary>The beginning of a message, what does not print and is not ASCII escaped.</summary>
        private static string Printable(string text)
        {
            return string.Concat(text.Take(500).Select(unit => unit is < ' ' or > '~' ? $"\\u{(int)unit:x4}" : unit.ToString()));
        }
    }
}

/// <summary>What Broker.cs throws until it is filled in. Whatever else is thrown there is a crash.</summary>
internal sealed class NotFilledInException : Exception
{
    public NotFilledInException(string message) : base(message)
    {
    }
}
