import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutionException;

class LostResponse {
  static String call(String method, String path, String body) throws Exception {
    var address = URI.create(System.getenv("MESSAGING_TOPUP_BASE_URL") + path);
    var token = "Bearer " + System.getenv("MESSAGING_TOPUP_TOKEN");
    var request = HttpRequest.newBuilder(address).method(method, ofString(body));
    request.headers("Authorization", token, "Content-Type", "application/json");
    var response = HttpClient.newHttpClient().sendAsync(request.build(), BodyHandlers.ofString());
    return response.get(70, SECONDS).body();
  }

  public static void main(String[] args) throws Exception {
    call("PUT", "/_sandbox/fault", "{\"fault\":\"ResetAfterAcceptance\",\"times\":1}");
    try {
      call("POST", "/sms/send", "{\"recipient\":\"+15551234567\",\"message\":\"Hello from Java\"}");
      throw new AssertionError("a response arrived");
    } catch (ExecutionException lost) {
      var found = call("GET", "/_sandbox/messages?text=java", "");
      if (!found.contains("Hello from Java")) throw new AssertionError(found);
    }
  }
}
